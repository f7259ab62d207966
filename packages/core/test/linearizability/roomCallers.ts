/** What the two sides of a room do, and what they are told of it. */
import { Effect, Random } from "effect"
import { DealRooms, termsDigest } from "../../src/index.ts"
import type { AgentId, DealRoomId, OfferId, Side } from "../../src/index.ts"
import { terms } from "../fixtures.ts"
import { tell } from "./roomModel.ts"
import type { Input } from "./roomModel.ts"

/** What callers know: the room, and the offers that somebody was told of by now, with their digests. */
export interface Known {
  readonly roomId: DealRoomId
  readonly buyerId: AgentId
  readonly sellerId: AgentId
  readonly offers: Array<{ readonly id: OfferId; readonly termsDigest: string }>
}

/** Draws what a side does next: mostly what leaves the other something to do. */
export const next = Effect.fnUntraced(function* ({ offers }: Known, side: Side) {
  const some = terms(`${yield* Random.nextIntBetween(1, 3)}00`)
  const offer: Input = { side, does: "offer", terms: some }
  const say: Input = { side, does: "say", text: "…" }
  const read: Input = { side, does: "read" }
  const onOffers = offers.slice(-2).flatMap(({ id, termsDigest: digest }): ReadonlyArray<Input> => [
    { side, does: "accept", offer: id, termsDigest: digest },
    { side, does: "reject", offer: id },
    { side, does: "withdraw", offer: id }
  ])
  const changes: Input = { side, does: "request changes", reason: "not all of it" }
  const work: ReadonlyArray<Input> =
    side === "seller" ? [{ side, does: "deliver" }] : [changes, { side, does: "complete" }]
  const rare: ReadonlyArray<Input> = [
    { side, does: "decline" },
    { side, does: "cancel" },
    { side, does: "dispute", reason: "never" }
  ]
  const isRare = (yield* Random.nextIntBetween(1, 30)) === 1
  return yield* Random.choice(isRare ? rare : [offer, offer, say, read, ...onOffers, ...work, ...work])
})

/** Does something, and says in the model's words what came of it. */
export const perform = Effect.fnUntraced(function* (known: Known, input: Input) {
  const rooms = yield* DealRooms
  const { roomId } = known
  const by = input.side === "buyer" ? known.buyerId : known.sellerId
  switch (input.does) {
    case "offer": {
      const { value } = yield* rooms.offer(by, roomId, { terms: input.terms })
      const made = value.currentOffer?.id
      return { input: made === undefined ? input : { ...input, made }, told: tell(value) }
    }
    case "accept": {
      const digest = { termsDigest: input.termsDigest }
      const { value } = yield* rooms.accept(by, roomId, input.offer, digest)
      return { input, told: tell(value) }
    }
    case "reject":
    case "withdraw": {
      const { value } = yield* rooms.clearOffer(by, roomId, input.offer, input.does, undefined)
      return { input, told: tell(value) }
    }
    case "say": {
      const { value } = yield* rooms.say(by, roomId, { text: input.text })
      return { input, told: tell(value.dealRoom) }
    }
    case "request changes": {
      const { value } = yield* rooms.requestChanges(by, roomId, input.reason)
      return { input, told: tell(value) }
    }
    case "dispute": {
      const { value } = yield* rooms.dispute(by, roomId, input.reason)
      return { input, told: tell(value) }
    }
    case "decline": {
      const { value } = yield* rooms.decline(by, roomId, undefined)
      return { input, told: tell(value) }
    }
    case "deliver": {
      const { value } = yield* rooms.deliver(by, roomId, { note: "done" })
      return { input, told: tell(value) }
    }
    case "complete": {
      const { value } = yield* rooms.complete(by, roomId)
      return { input, told: tell(value) }
    }
    case "cancel": {
      const { value } = yield* rooms.cancel(by, roomId, undefined)
      return { input, told: tell(value) }
    }
    case "read":
      return { input, told: tell(yield* rooms.get(by, roomId)) }
  }
})

export const knownFrom = (roomId: DealRoomId, buyerId: AgentId, sellerId: AgentId): Known => ({
  roomId,
  buyerId,
  sellerId,
  offers: []
})

/** Remembers an offer that somebody was told of. */
export const learn = ({ offers }: Known, input: Input): void => {
  if (input.does === "offer" && input.made !== undefined)
    offers.push({ id: input.made, termsDigest: termsDigest(input.terms) })
}
