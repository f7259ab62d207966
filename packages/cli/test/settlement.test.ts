/** Orders to a host's bank, on two nodes that are processes of their own. */
import { assert, describe, it } from "@effect/vitest"
import { Clock, Effect, Schedule, Schema } from "effect"
import { fileURLToPath } from "node:url"
import { afterAll, beforeAll } from "vitest"
import { startPostgres } from "../../../test/Postgres.ts"
import type { Postgres } from "../../../test/Postgres.ts"
import { ask, Identified, register } from "./Caller.ts"
import { receive } from "./Receiver.ts"
import type { Receiver } from "./Receiver.ts"
import { execute, run } from "./Server.ts"
import type { Settings } from "./Server.ts"

let postgres: Postgres | undefined
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres?.stop())

const hostNode = fileURLToPath(new URL("fixtures/hostNode.ts", import.meta.url))

const startNode = Effect.fnUntraced(function* (name: string, settings: Settings) {
  const node = yield* execute(process.execPath, ["--conditions=source", hostNode], {
    settings: { ...settings, SOUK_NODE: name }
  })
  const [, url = ""] = yield* node.printed(/^Serves at (.*)$/mu)
  return { name, url, kill: Effect.andThen(node.signal("SIGKILL"), node.ended) }
})

const terms = {
  total: { amount: "400.00", currency: "EUR" },
  deliverWithinSeconds: 86_400,
  revisions: 1,
  acceptance: ["all pages"]
}

type Party = Effect.Success<ReturnType<typeof register>>

const Room = Schema.Struct({
  id: Schema.String,
  status: Schema.String,
  currentOffer: Schema.Struct({ id: Schema.String, termsDigest: Schema.String })
})

/** The two sides agree at a node; gives the room, which waits for its money. */
const agree = Effect.fnUntraced(function* (url: string, buyer: Party, seller: Party) {
  const body = { counterparty: seller.agent.id, role: "buyer", offer: { terms } }
  const opened = yield* ask(url, { path: "/api/deal-rooms", key: buyer.apiKey, body }, { dealRoom: Room })
  const { currentOffer, id } = opened.dealRoom
  const path = `/api/deal-rooms/${id}/offers/${currentOffer.id}/accept`
  const accept = { path, key: seller.apiKey, body: { termsDigest: currentOffer.termsDigest } }
  yield* ask(url, accept, { dealRoom: Identified })
  return id
})

const statusOf = (url: string, id: string, { apiKey: key }: Party) =>
  Effect.map(
    ask(
      url,
      { path: `/api/v1/deal-rooms/${id}`, key },
      { dealRoom: Schema.Struct({ status: Schema.String }) }
    ),
    ({ dealRoom }) => dealRoom.status
  )

/** What the bank was asked: by which node, to do what, for which room, under which key. */
const ordersOf = ({ got }: Receiver) =>
  got.map(({ id: key, path }) => {
    const [node, action, room] = path.slice(1).split("/")
    return { node, action, room, key }
  })

const until = <E>(is: Effect.Effect<boolean, E>) =>
  Effect.repeat(is, { until: (so) => so, schedule: Schedule.spaced("20 millis") })

describe("the bank of a host with two nodes", () => {
  it.live(
    "is given within ten seconds, under their keys, the orders of a node that was killed, and no other again",
    () =>
      Effect.gen(function* () {
        const bank = yield* receive
        const settings = {
          SOUK_DATABASE_URL: postgres?.url ?? "",
          SOUK_DATABASE_SCHEMA: "settled",
          SOUK_BANK: bank.url
        }
        yield* run(["migrate"], { settings })
        const nodes = yield* Effect.forEach(["one", "two"], (name) => startNode(name, settings), {
          concurrency: 2
        })
        const [{ url = "" } = {}] = nodes
        const [buyer, seller] = [yield* register(url, "buyer"), yield* register(url, "seller")]

        // The bank has moved the money, but does not say so.
        bank.answer(false)
        const rooms = yield* Effect.forEach(nodes, (node) => agree(node.url, buyer, seller))
        yield* until(Effect.sync(() => bank.got.length === rooms.length))
        const asked = ordersOf(bank)
        const victim = nodes.find(({ name }) => name === asked[0]?.node)
        const survivor = nodes.find((node) => node !== victim)
        assert(victim !== undefined && survivor !== undefined)
        yield* victim.kill
        const begun = yield* Clock.currentTimeMillis
        bank.answer(true)
        for (const room of rooms)
          yield* until(Effect.map(statusOf(survivor.url, room, buyer), (status) => status === "in_progress"))
        assert.isBelow((yield* Clock.currentTimeMillis) - begun, 10_000)

        const again = asked.filter(({ node }) => node === victim.name)
        assert.sameDeepMembers(ordersOf(bank), [
          ...asked,
          ...again.map((order) => ({ ...order, node: survivor.name }))
        ])
        assert.sameMembers(
          asked.map(({ action, room }) => `${action} ${room}`),
          rooms.map((room) => `authorise ${room}`)
        )

        // What the money was held for is paid out, once each.
        const before = bank.got.length
        for (const room of rooms) {
          const path = `/api/deal-rooms/${room}`
          const deliver = { path: `${path}/deliver`, key: seller.apiKey, body: { note: "All pages." } }
          yield* ask(survivor.url, deliver, { dealRoom: Identified })
          yield* ask(
            survivor.url,
            { path: `${path}/complete`, key: buyer.apiKey, body: {} },
            { dealRoom: Identified }
          )
        }
        yield* until(Effect.sync(() => bank.got.length >= before + rooms.length))
        const orders = ordersOf(bank)
        assert.sameMembers(
          orders.slice(before).map(({ action, room }) => `${action} ${room}`),
          rooms.map((room) => `capture ${room}`)
        )
        assert.strictEqual(new Set(orders.map(({ key }) => key)).size, 2 * rooms.length)
      }),
    60_000
  )
})
