/**
 * Concurrent callers on two nodes: what they see of one RFQ, and of one room, could have happened one thing at a time.
 *
 * `SOUK_HISTORY_SEED` repeats what the callers draw; how it overlaps is the machine's.
 */
import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Random } from "effect"
import { DealRooms, Store } from "../../src/index.ts"
import type { AgentId } from "../../src/index.ts"
import { callForQuotes, join, offerIn, submitQuote, terms } from "../fixtures.ts"
import { usePostgres } from "../postgres.ts"
import { linearize } from "./checker.ts"
import type { Model, Operation } from "./checker.ts"
import * as roomCallers from "./roomCallers.ts"
import * as roomModel from "./roomModel.ts"
import * as rfqCallers from "./rfqCallers.ts"
import * as rfqModel from "./rfqModel.ts"
import { describeHistory, makeRecorder, startTwo } from "./twoNodes.ts"

usePostgres()

const seed = process.env["SOUK_HISTORY_SEED"] ?? String(Date.now())
const histories = 15
const steps = 8
const all = { concurrency: "unbounded" } as const

const range = (length: number) => Array.from({ length }, (_, n) => n)

const expectLinearizable = <S, I>(model: Model<S, I>, history: ReadonlyArray<Operation<I>>) => {
  const { isLinearizable, order } = linearize(model, history)
  if (isLinearizable) return
  const rest = history.filter((operation) => !order.includes(operation))
  assert.fail(
    `No order explains what was seen. As far as it goes:\n${describeHistory(order)}\n` +
      `Not any more:\n${describeHistory(rest)}`
  )
}

/** An RFQ with two quotes, from one of which the buyer has opened a room with an offer. */
const beginRfq = Effect.fnUntraced(function* (n: number) {
  const buyer = yield* join(`buyer-${n}`)
  const sellers = yield* Effect.forEach(range(3), (each) => join(`seller-${n}-${each}`))
  const store = yield* Store
  const rfq = yield* callForQuotes(buyer, { maxQuotes: 3 })
  const quotes = yield* Effect.forEach(sellers.slice(0, 2), (seller) => submitQuote(seller, rfq.id))
  const [opener] = quotes
  assert(opener !== undefined)
  const rooms = yield* DealRooms
  const { value } = yield* rooms.open(buyer, { quoteId: opener.id, offer: { terms: terms("50") } })
  const [storedRfq, room] = [yield* store.rfqs.byId(rfq.id), yield* store.rooms.byId(value.id)]
  assert(storedRfq !== undefined && room !== undefined)
  const initial: rfqModel.State = {
    rfq: storedRfq,
    quotes: new Map(quotes.map((quote) => [quote.id, quote])),
    room,
    opener: opener.id,
    offer: offerIn(value)
  }
  const known: rfqCallers.Known = {
    initial,
    quotes: quotes.map(({ agentId, id }) => ({ id, seller: agentId }))
  }
  return { known, sellers }
})

describe("on two nodes", () => {
  it.live(
    `an RFQ is to its callers as if one thing happened at a time (seed ${seed})`,
    () =>
      Effect.gen(function* () {
        const nodes = yield* startTwo
        for (const n of range(histories)) {
          const { known, sellers } = yield* Effect.provide(beginRfq(n), nodes[0])
          const now = yield* DateTime.now
          const { history, record } = makeRecorder<rfqModel.Input>()
          const step = Effect.fnUntraced(function* (caller: AgentId | "buyer") {
            const input =
              caller === "buyer"
                ? yield* rfqCallers.nextOfBuyer(known)
                : yield* rfqCallers.nextOfSeller(known, caller)
            const done = yield* record(input, rfqCallers.perform(known, input))
            if (done.does === "submit" && done.made !== undefined)
              known.quotes.push({ id: done.made, seller: done.seller })
          })
          yield* Effect.forEach(
            nodes.flatMap((node) => (["buyer", ...sellers] as const).map((caller) => ({ node, caller }))),
            ({ caller, node }, each) =>
              Effect.repeat(step(caller), { times: steps - 1 }).pipe(
                Random.withSeed(`${seed} ${n} ${each}`),
                Effect.provide(node)
              ),
            all
          )
          expectLinearizable(rfqModel.modelFrom(known.initial, now), history)
        }
      }),
    60_000
  )

  it.live(
    `a room is to its two sides as if one thing happened at a time (seed ${seed})`,
    () =>
      Effect.gen(function* () {
        const nodes = yield* startTwo
        for (const n of range(histories)) {
          const begin = Effect.gen(function* () {
            const [buyer, seller] = yield* Effect.all([join(`left-${n}`), join(`right-${n}`)])
            const { value } = yield* (yield* DealRooms).open(buyer, { counterparty: seller, role: "buyer" })
            const room = yield* (yield* Store).rooms.byId(value.id)
            assert(room !== undefined)
            return { room, known: roomCallers.knownFrom(room.id, buyer, seller) }
          })
          const { known, room } = yield* Effect.provide(begin, nodes[0])
          const now = yield* DateTime.now
          const { history, record } = makeRecorder<roomModel.Input>()
          const step = Effect.fnUntraced(function* (side: "buyer" | "seller") {
            const input = yield* roomCallers.next(known, side)
            roomCallers.learn(known, yield* record(input, roomCallers.perform(known, input)))
          })
          yield* Effect.forEach(
            nodes.flatMap((node) =>
              (["buyer", "seller", "buyer", "seller"] as const).map((side) => ({ node, side }))
            ),
            ({ node, side }, each) =>
              Effect.repeat(step(side), { times: steps - 1 }).pipe(
                Random.withSeed(`${seed} ${n} ${each}`),
                Effect.provide(node)
              ),
            all
          )
          expectLinearizable(roomModel.modelFrom({ room, offers: new Map() }, now), history)
        }
      }),
    60_000
  )
})
