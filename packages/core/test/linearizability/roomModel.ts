/** One deal room, as the rules have it when one thing happens at a time. */
import { sampleId } from "@souk/testing"
import { Result } from "effect"
import type { DealRoom, Instant, Offer, OfferId, Side, Terms } from "../../src/index.ts"
import { standing } from "../../src/rules/DealRoomProgress.ts"
import type { Progress } from "../../src/rules/DealRoomProgress.ts"
import * as fulfilment from "../../src/rules/Fulfilment.ts"
import * as negotiation from "../../src/rules/Negotiation.ts"
import type { Model } from "./checker.ts"

/** What a side can do. `made` is the id that a new offer got. */
export type Input = { readonly side: Side } & (
  | { readonly does: "offer"; readonly terms: Terms; readonly made?: OfferId }
  | { readonly does: "accept"; readonly offer: OfferId; readonly termsDigest: string }
  | { readonly does: "reject" | "withdraw"; readonly offer: OfferId }
  | { readonly does: "say"; readonly text: string }
  | { readonly does: "request changes" | "dispute"; readonly reason: string }
  | { readonly does: "decline" | "deliver" | "complete" | "cancel" | "read" }
)

export interface State {
  readonly room: DealRoom
  readonly offers: ReadonlyMap<OfferId, Offer>
}

/** The number of entries places a step among all others; what stands in them follows from the version. */
export const tell = ({ currentOffer, entryCount, round, status, turn, version }: DealRoom) =>
  `${status}, version ${version}, ${entryCount} entries, round ${round}, turn of ${turn}, ` +
  `offer ${currentOffer?.id} ${currentOffer?.status}`

/** The model from a state at a moment. */
export const modelFrom = (initial: State, now: Instant): Model<State, Input> => ({
  initial,
  key: ({ room }) => tell(room),
  apply: (state, input) => {
    const done = decide(state, input, now)
    if (Result.isFailure(done)) return { state, told: done.failure.code }
    const { offers, room } = done.success
    return {
      state: {
        room,
        offers: new Map([...state.offers, ...offers.map((offer) => [offer.id, offer] as const)])
      },
      told: tell(room)
    }
  }
})

// -----------------------------------------------------------------------------

const decide = (
  state: State,
  input: Input,
  now: Instant
): Result.Result<Progress, { readonly code: string }> => {
  const { side } = input
  const progress = standing(state.room)
  switch (input.does) {
    case "offer":
      return negotiation.makeOffer(
        progress,
        side,
        input.made ?? sampleId("offer", 1),
        { terms: input.terms },
        now
      )
    case "accept":
      return negotiation.acceptOffer(
        progress,
        side,
        offerOf(state, input.offer),
        input.termsDigest,
        "at_once",
        now
      )
    case "reject":
    case "withdraw":
      return negotiation.clearOffer(progress, side, offerOf(state, input.offer), input.does, undefined, now)
    case "say":
      return Result.map(fulfilment.say(progress, side, { text: input.text }, now), (said) => said.progress)
    case "request changes":
      return fulfilment.requestChanges(progress, side, input.reason, now)
    case "dispute":
      return fulfilment.dispute(progress, side, input.reason, now)
    case "decline":
      return negotiation.decline(progress, side, undefined, now)
    case "deliver":
      return fulfilment.deliver(progress, side, { note: "done" }, now)
    case "complete":
      return fulfilment.acceptDelivery(progress, side, now)
    case "cancel":
      return fulfilment.cancel(progress, side, undefined, now)
    case "read":
      return Result.succeed(progress)
  }
}

/** An offer is acted upon only by who was told of it, so it is there. */
const offerOf = ({ offers }: State, id: OfferId): Offer => {
  const offer = offers.get(id)
  if (offer === undefined) throw new Error(`${id} is acted upon before it was made`)
  return offer
}
