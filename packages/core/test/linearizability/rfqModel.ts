/** One RFQ with its quotes, and a room that one of them opened, as the rules have them when one thing happens at a time. */
import { sampleId } from "@souk/testing"
import { Result } from "effect"
import type { AgentId, DealRoom, Instant, Offer, Quote, QuoteId, Rfq, Terms, Write } from "../../src/index.ts"
import { award } from "../../src/rules/Award.ts"
import { standing } from "../../src/rules/DealRoomProgress.ts"
import { acceptOffer } from "../../src/rules/Negotiation.ts"
import { decideAward, end, revise, submit } from "../../src/rules/Quotes.ts"
import { move } from "../../src/rules/Rfqs.ts"
import type { Model } from "./checker.ts"

/** What can be done. `made` is the id that a new quote got. */
export type Input =
  | {
      readonly does: "submit"
      readonly seller: AgentId
      readonly terms: Terms
      readonly made?: QuoteId
    }
  | { readonly does: "revise"; readonly seller: AgentId; readonly quote: QuoteId; readonly terms: Terms }
  | { readonly does: "withdraw"; readonly seller: AgentId; readonly quote: QuoteId }
  | { readonly does: "decline"; readonly quote: QuoteId }
  | { readonly does: "award"; readonly quote: QuoteId; readonly termsDigest: string }
  | { readonly does: "accept" }
  | { readonly does: "close" | "cancel" | "unsuccessful" }
  | { readonly does: "read" }
  | { readonly does: "read quote"; readonly quote: QuoteId; readonly reader: AgentId }

export interface State {
  readonly rfq: Rfq
  readonly quotes: ReadonlyMap<QuoteId, Quote>
  /** The room that the buyer opened from one of the quotes, and his offer in it. */
  readonly room: DealRoom
  readonly opener: QuoteId
  readonly offer: Offer
}

export const tellRfq = ({ quoteCount, status, version }: Pick<Rfq, "quoteCount" | "status" | "version">) =>
  `RFQ ${status}, version ${version}, ${quoteCount} quotes`

export const tellQuote = ({
  revision,
  status,
  termsDigest,
  version
}: Pick<Quote, "revision" | "status" | "version"> & { readonly termsDigest?: string | undefined }) =>
  `quote ${status}, version ${version}, revision ${revision} of ${termsDigest}`

export const tellRoom = ({ status, version }: Pick<DealRoom, "status" | "version">) =>
  `room ${status}, version ${version}`

/** The model from a state at a moment. */
export const modelFrom = (initial: State, now: Instant): Model<State, Input> => ({
  initial,
  key: ({ quotes, rfq, room }) =>
    `${rfq.version} ${room.version} ${[...quotes]
      .map(([id, { version }]) => `${id}${version}`)
      .toSorted()
      .join()}`,
  apply: (state, input) => {
    const done = decide(state, input, now)
    return Result.isFailure(done)
      ? { state, told: done.failure.code }
      : { state: done.success.writes.reduce(written, state), told: done.success.told }
  }
})

// -----------------------------------------------------------------------------

interface Done {
  readonly told: string
  readonly writes: ReadonlyArray<Write>
}

type Decision = Result.Result<Done, { readonly code: string }>

const decide = (state: State, input: Input, now: Instant): Decision => {
  const { offer, room, rfq } = state
  const active = [...state.quotes.values()].filter(({ status }) => status === "active")
  switch (input.does) {
    case "submit": {
      const id = input.made ?? sampleId("quote", 1)
      const decided = submit(
        rfq,
        latestOf(state, input.seller),
        { terms: input.terms },
        id,
        input.seller,
        now
      )
      return Result.map(decided, ({ result, writes }) => ({ told: tellQuote(result), writes }))
    }
    case "revise":
      return Result.map(
        revise(rfq, quoteOf(state, input.quote), { terms: input.terms }, now),
        ({ result, writes }) => ({ told: tellQuote(result), writes })
      )
    case "withdraw":
    case "decline":
      return Result.map(
        end(rfq, quoteOf(state, input.quote), input.does, undefined, now),
        ({ result, writes }) => ({ told: tellQuote(result), writes })
      )
    case "award": {
      const candidates = { rfq, quote: quoteOf(state, input.quote), others: active }
      const command = {
        roomId: sampleId("deal_room", 1),
        offerId: sampleId("offer", 1),
        termsDigest: input.termsDigest,
        acceptDeviations: false,
        funding: "at_once" as const
      }
      return Result.map(award(candidates, command, now), ({ result, writes }) => ({
        told: `${tellRfq(result.rfq)}, ${tellQuote(result.quote)}, ${tellRoom(result.room)}`,
        writes
      }))
    }
    case "accept":
      return Result.gen(function* () {
        const agreed = yield* acceptOffer(standing(room), "seller", offer, offer.termsDigest, "at_once", now)
        const quote = quoteOf(state, state.opener)
        const decided = yield* decideAward(rfq, quote, active, now)
        const moved: Write = { kind: "deal_room", value: agreed.room, replaces: room.version }
        return { told: tellRoom(agreed.room), writes: [...decided.writes, moved] }
      })
    case "close":
    case "cancel":
    case "unsuccessful":
      return Result.map(move(rfq, input.does, "buyer", now), ({ result, writes }) => ({
        told: tellRfq(result),
        writes
      }))
    case "read":
      return Result.succeed({ told: tellRfq(rfq), writes: [] })
    case "read quote":
      return Result.succeed({ told: tellQuote(quoteOf(state, input.quote)), writes: [] })
  }
}

const latestOf = ({ quotes }: State, seller: AgentId): Quote | undefined =>
  [...quotes.values()]
    .filter(({ agentId }) => agentId === seller)
    .toSorted((a, b) => (a.id < b.id ? 1 : -1))
    .at(0)

/** A quote is acted upon only by who was told of it, so it is there. */
const quoteOf = ({ quotes }: State, id: QuoteId): Quote => {
  const quote = quotes.get(id)
  if (quote === undefined) throw new Error(`${id} is acted upon before it was made`)
  return quote
}

const written = (state: State, write: Write): State => {
  if (write.kind === "rfq") return { ...state, rfq: write.value }
  if (write.kind === "quote")
    return { ...state, quotes: new Map(state.quotes).set(write.value.id, write.value) }
  if (write.kind === "deal_room" && write.value.id === state.room.id) return { ...state, room: write.value }
  return state
}
