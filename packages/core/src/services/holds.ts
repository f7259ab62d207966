/** What an operator makes of a hold, as one change with what was held. */
import { Effect } from "effect"
import type { Change } from "../model/Change.ts"
import type { Hold } from "../model/Hold.ts"
import type { Instant } from "../model/Instant.ts"
import type { Store } from "../ports/Store.ts"
import { sideOf } from "../rules/DealRooms.ts"
import * as rules from "../rules/Holds.ts"
import { move } from "../rules/Listings.ts"
import { because } from "../rules/Operators.ts"
import { notFound } from "./reads.ts"
import { progressChange, roomNow } from "./rooms.ts"
import type { Sealer } from "./seals.ts"

/** Lets what is held be seen. */
export const releaseOf = Effect.fnUntraced(function* (
  store: Store["Service"],
  seal: Sealer,
  hold: Hold,
  now: Instant
) {
  const ended = yield* Effect.fromResult(rules.endHold(hold, "released", now))
  const { subject } = hold
  switch (subject.kind) {
    case "listing": {
      const listing = yield* stored(store.listings.byId(subject.id), "listing")
      return joined(ended, yield* Effect.fromResult(rules.releaseListing(listing, now)))
    }
    case "rfq": {
      const rfq = yield* stored(store.rfqs.byId(subject.id), "RFQ")
      return joined(ended, yield* seal(yield* Effect.fromResult(rules.releaseRfq(rfq, now))))
    }
    case "message": {
      const room = yield* stored(store.rooms.byId(subject.roomId), "deal room")
      const side = sideOf(room, hold.agentId) ?? (yield* notFound("author in this room"))
      const next = yield* Effect.fromResult(
        rules.releaseMessage(yield* roomNow(store, room, now), side, subject, now)
      )
      return joined(ended, yield* progressChange(store, room, next, now, () => undefined))
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
  const ended = yield* Effect.fromResult(rules.endHold(hold, "refused", now))
  const { agentId, subject } = hold
  switch (subject.kind) {
    case "listing": {
      const listing = yield* stored(store.listings.byId(subject.id), "listing")
      if (listing.status === "archived") return ended
      const archived = yield* Effect.fromResult(move(listing, "archive", "operator", now))
      return joined(ended, because(archived, agentId, reason))
    }
    case "rfq": {
      const rfq = yield* stored(store.rfqs.byId(subject.id), "RFQ")
      return joined(ended, because(rules.returnRfq(rfq, now), agentId, reason))
    }
    case "message": {
      const room = yield* stored(store.rooms.byId(subject.roomId), "deal room")
      const change: Change<Hold> = {
        ...ended,
        events: [
          {
            type: "deal_room.message",
            audience: [agentId],
            subject: { kind: "deal_room", id: room.id, version: room.version },
            data: { seq: subject.seq, refused: true, reason }
          }
        ]
      }
      return change
    }
  }
})

const stored = <A, E>(read: Effect.Effect<A | undefined, E>, what: string) =>
  Effect.flatMap(read, (found) => (found === undefined ? Effect.fail(notFound(what)) : Effect.succeed(found)))

const joined = (hold: Change<Hold>, change: Change<unknown>): Change<Hold> => ({
  result: hold.result,
  writes: [...hold.writes, ...change.writes],
  events: [...hold.events, ...change.events]
})
