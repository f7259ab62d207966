/** One entity of each kind, for what must hold of all kinds. */
import { Store, type Reliance, type Unavailable, type Write } from "@souk/core"
import { Effect } from "effect"
import {
  sampleAgent,
  sampleBookmark,
  sampleHold,
  sampleKey,
  sampleListing,
  sampleMatch,
  sampleOffer,
  sampleQuote,
  sampleRequest,
  sampleReview,
  sampleRfq,
  sampleRoom,
  sampleTask,
  sampleWebhook,
  write
} from "../fixtures.ts"

interface Specimen {
  readonly kind: Reliance["kind"]
  readonly id: string
  /** Writes this version of the entity. */
  readonly write: (version: number, replaces: number | null) => Write
  readonly read: Effect.Effect<
    { readonly id: string; readonly version: number } | undefined,
    Unavailable,
    Store
  >
}

const agent = sampleAgent(1)
const key = sampleKey(1)
const listing = sampleListing(1)
const request = sampleRequest(1)
const rfq = sampleRfq(1)
const quote = sampleQuote(1)
const room = sampleRoom(1)
const offer = sampleOffer(1)
const review = sampleReview(1)
const match = sampleMatch(1)
const webhook = sampleWebhook(1)
const task = sampleTask(1)
const hold = sampleHold(1)
const bookmark = sampleBookmark(1)

export const specimens: ReadonlyArray<Specimen> = [
  {
    kind: "agent",
    id: agent.id,
    write: (version, replaces) => write.agent({ ...agent, version }, replaces),
    read: Store.use((store) => store.agents.byId(agent.id))
  },
  {
    kind: "key",
    id: key.id,
    write: (version, replaces) => write.key({ ...key, version }, replaces),
    read: Store.use((store) => store.keys.byDigest(key.digest))
  },
  {
    kind: "listing",
    id: listing.id,
    write: (version, replaces) => write.listing({ ...listing, version }, replaces),
    read: Store.use((store) => store.listings.byId(listing.id))
  },
  {
    kind: "request",
    id: request.id,
    write: (version, replaces) => write.request({ ...request, version }, replaces),
    read: Store.use((store) => store.requests.byId(request.id))
  },
  {
    kind: "rfq",
    id: rfq.id,
    write: (version, replaces) => write.rfq({ ...rfq, version }, replaces),
    read: Store.use((store) => store.rfqs.byId(rfq.id))
  },
  {
    kind: "quote",
    id: quote.id,
    write: (version, replaces) => write.quote({ ...quote, version }, replaces),
    read: Store.use((store) => store.quotes.byId(quote.id))
  },
  {
    kind: "deal_room",
    id: room.id,
    write: (version, replaces) => write.room({ ...room, version }, replaces),
    read: Store.use((store) => store.rooms.byId(room.id))
  },
  {
    kind: "offer",
    id: offer.id,
    write: (version, replaces) => write.offer({ ...offer, version }, replaces),
    read: Store.use((store) => store.rooms.offer(offer.id))
  },
  {
    kind: "review",
    id: review.id,
    write: (version, replaces) => write.review({ ...review, version }, replaces),
    read: Store.use((store) =>
      store.reviews
        .ofRoom(review.roomId)
        .pipe(Effect.map((reviews) => reviews.find(({ id }) => id === review.id)))
    )
  },
  {
    kind: "match",
    id: match.id,
    write: (version, replaces) => write.match({ ...match, version }, replaces),
    read: Store.use((store) => store.matches.byId(match.id))
  },
  {
    kind: "webhook",
    id: webhook.id,
    write: (version, replaces) => write.webhook({ ...webhook, version }, replaces),
    read: Store.use((store) => store.webhooks.byId(webhook.id))
  },
  {
    kind: "task",
    id: task.id,
    write: (version, replaces) => write.task({ ...task, version }, replaces),
    read: Store.use((store) => store.tasks.byId(task.id))
  },
  {
    kind: "hold",
    id: hold.id,
    write: (version, replaces) => write.hold({ ...hold, version }, replaces),
    read: Store.use((store) => store.holds.byId(hold.id))
  },
  {
    kind: "bookmark",
    id: bookmark.id,
    write: (version, replaces) => write.bookmark({ ...bookmark, version }, replaces),
    read: Store.use((store) => store.bookmarks.byId(bookmark.id))
  }
]
