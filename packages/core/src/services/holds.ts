/** What an operator makes of a hold, as one change with what was held. */
import { Effect, Result } from "effect"
import type { Change } from "../model/Change.ts"
import type { Held, Hold } from "../model/Hold.ts"
import type { Instant } from "../model/Instant.ts"
import type { Store } from "../ports/Store.ts"
import { sideOf } from "../rules/DealRooms.ts"
import * as rules from "../rules/Holds.ts"
import { move } from "../rules/Listings.ts"
import { because } from "../rules/Operators.ts"
import { notFound, reliesOnAgent } from "./reads.ts"
import { progressChange, roomNow } from "./rooms.ts"
import type { Sealer } from "./seals.ts"

/** Lets what is held be seen. */
export const releaseOf = Effect.fnUntraced(function* (
  store: Store["Service"],
  seal: Sealer,
  hold: Hold,
  now: Instant
) {
  const ended = yield* Effect.fromResult(rules.endHold(hold, "released", undefined, now))
  const { subject } = hold
  const owner = yield* stored(store.agents.byId(hold.agentId), "agent")
  const reliesOn = [reliesOnAgent(owner)]
  if (subject.kind !== "message") yield* Effect.fromResult(rules.ownerMayWrite(hold, owner))
  switch (subject.kind) {
    case "listing": {
      const listing = yield* stored(store.listings.byId(subject.id), "listing")
      const released = yield* Effect.fromResult(rules.releaseListing(listing, now))
      return { ...joined(ended, released), reliesOn }
    }
    case "rfq": {
      const rfq = yield* stored(store.rfqs.byId(subject.id), "RFQ")
      const released = yield* seal(yield* Effect.fromResult(rules.releaseRfq(rfq, now)))
      return { ...joined(ended, released), reliesOn }
    }
    case "message": {
      const room = yield* stored(store.rooms.byId(subject.roomId), "deal room")
      const side = sideOf(room, hold.agentId) ?? (yield* notFound("author in this room"))
      const inRoom = room.agreement !== undefined
      yield* Effect.fromResult(rules.ownerMayWrite(hold, owner, { inRoom }))
      const next = yield* Effect.fromResult(
        rules.releaseMessage(yield* roomNow(store, room, now), side, subject, now)
      )
      const said = yield* progressChange(store, room, next, now, () => undefined)
      return { ...joined(ended, said), reliesOn }
    }
  }
})

/** Keeps what is held from ever being seen; its author is told why. What has ended meanwhile stays as it is. */
export const refusalOf = Effect.fnUntraced(function* (
  store: Store["Service"],
  hold: Hold,
  reason: string,
  now: Instant
) {
  const ended = yield* Effect.fromResult(rules.endHold(hold, "refused", reason, now))
  const { agentId, subject } = hold
  switch (subject.kind) {
    case "listing": {
      const listing = yield* stored(store.listings.byId(subject.id), "listing")
      if (listing.held?.holdId !== hold.id) return ended
      const archived = yield* Effect.fromResult(move(listing, "archive", "operator", now, reason))
      return joined(ended, because(archived, reason))
    }
    case "rfq": {
      const rfq = yield* stored(store.rfqs.byId(subject.id), "RFQ")
      // Time has given it back already, or its buyer has taken it back.
      if (rfq.held?.holdId !== hold.id) return ended
      const returned = yield* Effect.fromResult(rules.returnRfq(rfq, now))
      return joined(ended, because(returned, reason))
    }
    case "message": {
      const room = yield* stored(store.rooms.byId(subject.roomId), "deal room")
      const next = rules.refuseMessage(yield* roomNow(store, room, now), agentId, subject.seq, reason, now)
      return joined(ended, yield* progressChange(store, room, next, now, () => undefined))
    }
  }
})

/** What is held, or was. */
interface Holdable {
  readonly held?: typeof Held.Type
}

/** Ends the hold of what is no longer held after a change, so that nothing waits for an operator that is not there. */
export const withHoldEnded = Effect.fnUntraced(function* <A>(
  store: Store["Service"],
  change: Change<A>,
  before: Holdable,
  after: Holdable,
  note: string,
  now: Instant
) {
  if (before.held === undefined || after.held !== undefined) return change
  const hold = yield* store.holds.byId(before.held.holdId)
  if (hold === undefined) return change
  const ended = rules.endHold(hold, "refused", note, now)
  return Result.isFailure(ended) ? change : { ...change, writes: [...change.writes, ...ended.success.writes] }
})

/** What the notes of holds say that no operator has ended. */
export const notes = {
  takenBack: "Its owner took it back.",
  tooLate: "Its quoteDeadline passed.",
  removed: "It was taken off the market.",
  closed: "The account was closed."
}

const stored = <A, E>(read: Effect.Effect<A | undefined, E>, what: string) =>
  Effect.flatMap(read, (found) => (found === undefined ? Effect.fail(notFound(what)) : Effect.succeed(found)))

const joined = (hold: Change<Hold>, change: Change<unknown>): Change<Hold> => ({
  result: hold.result,
  writes: [...hold.writes, ...change.writes],
  events: [...hold.events, ...change.events]
})
