/** What sellers do: they publish, quote, offer, deliver. */
import { DealRooms, Listings, Quotes, Rfqs } from "@souk/core"
import type { DealRoom, DealRoomId, MatchId, Rfq, RfqId } from "@souk/core"
import { Effect } from "effect"
import { noteOffer } from "./negotiating.ts"
import { euros, termsOf } from "./Stage.ts"
import type { Act, Need, Seller, Stage } from "./Stage.ts"

/** What a listing is for that names its price: half of them leave it open. */
const typicalWorth = 300

/** Publishes a listing for each skill. */
export const publish = ({ chance }: Stage, { id, manner, skills }: Seller): Act =>
  Effect.gen(function* () {
    const listings = yield* Listings
    for (const { tag, title, words } of skills) {
      const isFixed = chance.happens(0.5)
      yield* listings.publish(id, {
        title,
        description: words,
        tags: [tag],
        pricing: isFixed
          ? { model: "fixed", price: euros(typicalWorth * manner.asks * chance.between(0.9, 1.1)) }
          : { model: "quote" }
      })
    }
  })

/** Sees a call for quotes, and makes up its mind; who waits for the last minute comes back then. */
export const considerRfq = (stage: Stage, seller: Seller, rfqId: RfqId): Act =>
  Effect.gen(function* () {
    const { chance, needs, plan } = stage
    const need = needs.get(rfqId)
    const rfq = yield* (yield* Rfqs).get(seller.id, rfqId)
    if (need === undefined || rfq.status !== "open" || !chance.happens(seller.manner.takesPart)) return
    if (seller.manner.quotes === "at_last")
      plan(rfq.quoteDeadline, -1 / 60, quote(stage, seller, rfqId, need))
    else yield* quote(stage, seller, rfqId, need)
  })

/** Answers a request that was matched with one of its listings. */
export const answerMatch = (stage: Stage, seller: Seller, matchId: MatchId, need: Need): Act =>
  Effect.gen(function* () {
    if (need.isMet || !stage.chance.happens(seller.manner.takesPart)) return
    const amount = priceOf(stage, seller, need)
    if (amount === undefined) return
    const { value } = yield* (yield* DealRooms).open(seller.id, {
      matchId,
      offer: { terms: termsOf(amount, seller.manner) }
    })
    noteOffer(stage, seller, value, amount)
  })

/** Begins to work: plans when it delivers, and does not where it never does. */
export const beginWork = (stage: Stage, { id, manner }: Seller, room: DealRoom) => {
  const { chance, plan } = stage
  const { agreement, updatedAt } = room
  if (agreement === undefined || manner.takes === "never") return
  const hours = (agreement.terms.deliverWithinSeconds / 3600) * manner.takes * chance.between(0.9, 1.1)
  const isFaulty = chance.happens(manner.faults)
  plan(
    updatedAt,
    hours,
    Effect.flatMap(DealRooms, (rooms) =>
      rooms.deliver(id, room.id, { note: isFaulty ? "Done, more or less" : "Done", data: { isFaulty } })
    )
  )
}

/** Whether what was delivered last has a fault. */
export const isFaulty = ({ ledger }: Stage, roomId: DealRoomId): boolean =>
  ledger.moves
    .findLast(({ after, entries }) => after.id === roomId && entries.some(({ kind }) => kind === "delivery"))
    ?.entries.some(({ body }) => JSON.stringify(body).includes('"isFaulty":true')) === true

// -----------------------------------------------------------------------------

const quote = (stage: Stage, seller: Seller, rfqId: Rfq["id"], need: Need): Act =>
  Effect.gen(function* () {
    const amount = priceOf(stage, seller, need)
    if (amount === undefined) return
    const terms = termsOf(amount, seller.manner)
    const { value } = yield* (yield* Quotes).submit(seller.id, rfqId, { terms })
    stage.ledger.consent(value.id, seller.id, value.termsDigest)
  })

/** What it asks: no more than the budget, which everybody can read, where it works for that. */
const priceOf = ({ chance }: Stage, { manner }: Seller, { budget, worth }: Need): number | undefined => {
  const wanted = worth * manner.asks * chance.between(0.9, 1.1)
  if (wanted <= budget) return wanted
  return worth * manner.worksFor <= budget ? budget : undefined
}
