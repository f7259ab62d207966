/**
 * What the market says that somebody can do: each action that a room or the inbox offers is accepted, and each that is
 * not offered is refused. One is tried after each step, for validation only.
 */
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { DealRooms, Inbox, Quotes, Rfqs } from "../../src/index.ts"
import type {
  AgentId,
  DealRoomView,
  InboxItem,
  NextAction,
  OfferId,
  QuoteId,
  RfqId,
  Side,
  WriteOptions
} from "../../src/index.ts"
import type { Draw, Refused } from "./manners.ts"
import { markedTerms, pick } from "./world.ts"
import type { Services, World } from "./world.ts"

type Try = Effect.Effect<unknown, Refused, Services>
type Tries = { readonly [action: string]: Try | undefined }

const options: WriteOptions = { validateOnly: true }
const terms = markedTerms(7, "a try")

/** What a side can try in a room; nothing where there is no offer that it could be about. */
const roomTries = (rooms: DealRooms["Service"], room: DealRoomView, agent: AgentId): Tries => {
  const { currentOffer, id } = room
  const about = (attempt: (offerId: OfferId, termsDigest: string) => Try) =>
    currentOffer === undefined ? undefined : attempt(currentOffer.id, currentOffer.termsDigest)
  return {
    message: rooms.say(agent, id, { text: "a try" }, options),
    offer: rooms.offer(agent, id, { terms }, options),
    accept: about((offerId, termsDigest) =>
      rooms.accept(agent, id, offerId, { termsDigest, acceptDeviations: true }, options)
    ),
    reject: about((offerId) => rooms.clearOffer(agent, id, offerId, "reject", undefined, options)),
    withdraw: about((offerId) => rooms.clearOffer(agent, id, offerId, "withdraw", undefined, options)),
    decline: rooms.decline(agent, id, undefined, options),
    deliver: rooms.deliver(agent, id, { note: "a try" }, options),
    complete: rooms.complete(agent, id, options),
    request_changes: rooms.requestChanges(agent, id, "a try", options),
    cancel: rooms.cancel(agent, id, undefined, options),
    dispute: rooms.dispute(agent, id, "a try", options),
    review: rooms.review(agent, id, { rating: 5 }, options)
  }
}

const rfqTries = (
  [rfqs, quotes]: readonly [Rfqs["Service"], Quotes["Service"]],
  world: World,
  id: RfqId,
  agent: AgentId,
  now: DateTime.Utc
): Tries => {
  const rfq = world.ledger.rfqs.get(id)
  const question = rfq?.questions.find(({ answer }) => answer === undefined) ?? rfq?.questions[0]
  const quote = [...world.ledger.quotes.values()].find(
    (quote) =>
      quote.rfqId === id && quote.status === "active" && DateTime.isGreaterThan(quote.validUntil, now)
  )
  // Whether a draft can be opened is also a question of its deadline, which its buyer can change.
  const isInTime =
    rfq !== undefined && DateTime.isGreaterThan(rfq.quoteDeadline, DateTime.add(now, { seconds: 60 }))
  return {
    update: rfqs.update(agent, id, { description: "a try" }, options),
    open: isInTime ? rfqs.move(agent, id, "open", options) : undefined,
    close: rfqs.move(agent, id, "close", options),
    cancel: rfqs.move(agent, id, "cancel", options),
    unsuccessful: rfqs.move(agent, id, "unsuccessful", options),
    ask: rfqs.ask(agent, id, { text: "a try" }, options),
    answer: question && rfqs.answer(agent, id, question.id, { text: "a try" }, options),
    quote: quotes.submit(agent, id, { terms }, options),
    award: quote && awardTry(rfqs, world, id, quote.id, agent)
  }
}

const awardTry = (rfqs: Rfqs["Service"], world: World, id: RfqId, quoteId: QuoteId, agent: AgentId): Try => {
  const termsDigest = world.ledger.quotes.get(quoteId)?.termsDigest ?? ""
  return rfqs.award(agent, id, { quoteId, termsDigest, acceptDeviations: true }, options)
}

const quoteTries = (
  [rfqs, quotes]: readonly [Rfqs["Service"], Quotes["Service"]],
  world: World,
  { id, rfqId }: { readonly id: QuoteId; readonly rfqId: RfqId },
  agent: AgentId
): Tries => ({
  award: awardTry(rfqs, world, rfqId, id, agent),
  decline: quotes.decline(agent, id, undefined, options),
  revise: undefined
})

/** Tries one action and expects that it is accepted if and only if it is offered. */
const expectOffered = Effect.fnUntraced(function* (
  subject: string,
  agent: AgentId,
  tries: Tries,
  offered: ReadonlyArray<string>,
  number: number
) {
  for (const action of offered) assert(action in tries, `${action} of ${subject} can be tried`)
  const name = pick(Object.keys(tries), number) ?? ""
  const attempt = tries[name]
  if (attempt === undefined) return
  const outcome = yield* Effect.match(attempt, {
    onFailure: ({ code }) => code,
    onSuccess: () => "accepted"
  })
  const isOffered = offered.includes(name)
  assert(
    (outcome === "accepted") === isOffered,
    `${name} in ${subject} is ${isOffered ? "" : "not "}offered to ${agent}, and ${outcome}`
  )
})

const ofRole = (actions: ReadonlyArray<NextAction>, role: Side): ReadonlyArray<string> =>
  actions.filter(({ by }) => by === role).map(({ action }) => action)

/** Tries one action in a room of an agent's. */
const expectRoom = Effect.fnUntraced(function* (world: World, agent: AgentId, { which, who }: Draw) {
  const rooms = yield* DealRooms
  const { items } = yield* rooms.list(agent, { limit: 100 })
  const room = pick(items, which)
  if (room === undefined || !mayWriteIn(world, agent, room)) return items
  const side = room.buyerId === agent ? "buyer" : "seller"
  yield* expectOffered(room.id, agent, roomTries(rooms, room, agent), ofRole(room.nextActions, side), who)
  return items
})

/** A suspended agent writes nothing, a closed one only under an agreement: the room offers what its sides could do. */
const mayWriteIn = (world: World, agent: AgentId, { agreement }: DealRoomView): boolean => {
  const status = world.ledger.agents.get(agent)?.status
  return status === "active" || (status === "closed" && agreement !== undefined)
}

/** Tries one action of one thing that waits for an agent, and expects that his turns in rooms are among them. */
const expectInbox = Effect.fnUntraced(function* (
  world: World,
  agent: AgentId,
  rooms: ReadonlyArray<DealRoomView>,
  { which, who }: Draw
) {
  const { items } = yield* (yield* Inbox).list(agent, { limit: 100 })
  const waiting = new Set<string>(items.map(({ subject }) => subject.id))
  for (const room of rooms) {
    const { buyerId, id, turn } = room
    const isHis = turn !== null && (turn === "buyer") === (buyerId === agent)
    if (isHis && mayWriteIn(world, agent, room)) assert(waiting.has(id), `${id} waits for ${agent}`)
  }
  const deadlines = items.map(({ deadline }) => deadline?.epochMilliseconds ?? Number.POSITIVE_INFINITY)
  assert.deepStrictEqual(
    deadlines,
    deadlines.toSorted((a, b) => a - b),
    "soonest first"
  )
  const item = pick(items, which)
  if (item === undefined || world.ledger.agents.get(agent)?.status !== "active") return
  yield* expectItem(world, agent, item, who)
})

const expectItem = Effect.fnUntraced(function* (
  world: World,
  agent: AgentId,
  { actions, subject }: InboxItem,
  number: number
) {
  const services = [yield* Rfqs, yield* Quotes] as const
  const offered = actions.map(({ action }) => action)
  const now = yield* DateTime.now
  switch (subject.kind) {
    case "rfq":
      return yield* expectOffered(
        subject.id,
        agent,
        rfqTries(services, world, subject.id, agent, now),
        offered,
        number
      )
    case "quote":
      return yield* expectOffered(
        subject.id,
        agent,
        quoteTries(services, world, subject, agent),
        offered,
        number
      )
    case "deal_room": {
      const room = yield* (yield* DealRooms).get(agent, subject.id)
      const side = room.buyerId === agent ? "buyer" : "seller"
      assert.deepStrictEqual(offered, ofRole(room.nextActions, side), `what ${subject.id} offers ${agent}`)
    }
  }
})

/** Tries one action in a room, and one of the inbox, of an agent. */
export const expectOffers = Effect.fnUntraced(function* (world: World, agent: AgentId, draw: Draw) {
  world.mood.moderation = "allows"
  const before = world.deeds.length
  const rooms = yield* expectRoom(world, agent, draw)
  yield* expectInbox(world, agent, rooms, draw)
  assert.strictEqual(world.deeds.length, before, "what is tried changes nothing")
})
