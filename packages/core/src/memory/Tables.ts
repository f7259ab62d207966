/** The tables of the store in memory, and the orders that their lists are read in. */
import type { Agent } from "../model/Agent.ts"
import type { ApiKey } from "../model/ApiKey.ts"
import type { Bookmark } from "../model/Bookmark.ts"
import type { DealRoom, Offer } from "../model/DealRoom.ts"
import type { Hold } from "../model/Hold.ts"
import type { AgentId, RfqId } from "../model/Id.ts"
import type { Listing } from "../model/Listing.ts"
import type { Match } from "../model/Match.ts"
import type { Quote } from "../model/Quote.ts"
import type { Request } from "../model/Request.ts"
import type { Review } from "../model/Review.ts"
import type { Rfq } from "../model/Rfq.ts"
import type { Task } from "../model/Task.ts"
import type { Webhook } from "../model/Webhook.ts"
import type {
  DealRoomFilter,
  ListingFilter,
  MatchFilter,
  QuoteFilter,
  RequestFilter,
  RfqFilter
} from "../ports/Store.ts"
import { Table } from "./Table.ts"
import type { Timetable } from "./Timetable.ts"

export type Tables = ReturnType<typeof makeTables>

/** Makes empty tables; `timetable` follows the tasks. */
export const makeTables = (timetable: Timetable) => ({
  agents: new Table<Agent>({
    kind: "agent",
    orders: (agent) => [`status/${agent.status}`],
    unique: { constraint: "agent_handle", claim: (agent) => agent.handle }
  }),
  keys: new Table<ApiKey>({
    kind: "key",
    orders: (key) => [`agent/${key.agentId}`],
    unique: { constraint: "key_digest", claim: (key) => key.digest }
  }),
  listings: new Table<Listing>({ kind: "listing", orders: ordersOf }),
  requests: new Table<Request>({ kind: "request", orders: ordersOf }),
  rfqs: new Table<Rfq>({
    kind: "rfq",
    orders: (rfq) => [...ordersOf(rfq), ...rfq.invitees.map((invitee) => `invitee/${invitee}`)]
  }),
  quotes: new Table<Quote>({
    kind: "quote",
    orders: (quote) => [
      everything,
      `rfq/${quote.rfqId}`,
      `agent/${quote.agentId}`,
      ...(quote.status === "active" ? [`active/${quote.rfqId}`] : [])
    ],
    unique: {
      constraint: "active_quote",
      claim: (quote) => (quote.status === "active" ? place(quote.rfqId, quote.agentId) : undefined)
    }
  }),
  rooms: new Table<DealRoom>({
    kind: "deal_room",
    orders: ({ buyerId, sellerId, status }) =>
      [buyerId, sellerId].flatMap((id) => [`agent/${id}`, `agent/${id}/${status}`])
  }),
  matches: new Table<Match>({
    kind: "match",
    orders: (match) => [
      everything,
      `agent/${match.buyerId}`,
      `agent/${match.sellerId}`,
      `demand/${match.demand.id}`,
      `supply/${match.supply.id}`
    ]
  }),
  webhooks: new Table<Webhook>({
    kind: "webhook",
    orders: (webhook) => [
      `status/${webhook.status}`,
      ...(webhook.status === "deleted" ? [] : [`agent/${webhook.agentId}`])
    ]
  }),
  tasks: new Table<Task>({
    kind: "task",
    orders: (task) => [`queue/${task.queue}`],
    follow: (previous, next) => timetable.follow(previous, next)
  }),
  holds: new Table<Hold>({ kind: "hold", orders: (hold) => [`status/${hold.status}`] }),
  bookmarks: new Table<Bookmark>({ kind: "bookmark", orders: () => [] }),
  offers: new Table<Offer>({ kind: "offer", orders: () => [] }),
  reviews: new Table<Review>({
    kind: "review",
    orders: (review) => [`room/${review.roomId}`, `of/${review.ofId}`],
    unique: { constraint: "room_review", claim: (review) => `${review.roomId}/${review.byId}` }
  })
})

const everything = "all"

/** The place that an agent's one active quote takes. */
export const place = (rfqId: RfqId, agentId: AgentId): string => `${rfqId}/${agentId}`

const ordersOf = (item: Listing | Request | Rfq): ReadonlyArray<string> => [
  everything,
  `status/${item.status}`,
  `agent/${item.agentId}`,
  ...item.tags.map((tag) => `tag/${tag}`),
  ...(item.category === undefined ? [] : [`category/${item.category}`])
]

/** The orders that hold all that a filter lets through, each beside the value that it is named by. */
const ordersFor = (
  named: Readonly<Record<string, string | undefined>>
): ReadonlyArray<ReadonlyArray<string>> => [
  [everything],
  ...Object.entries(named).flatMap(([name, value]) => (value === undefined ? [] : [[`${name}/${value}`]]))
]

export const listingOrders = ({
  status,
  agentId,
  tag,
  category
}: ListingFilter): ReadonlyArray<ReadonlyArray<string>> =>
  ordersFor({ status, agent: agentId, tag, category })

export const demandOrders = ({
  states,
  agentId,
  tag,
  category
}: RequestFilter | RfqFilter): ReadonlyArray<ReadonlyArray<string>> => [
  Array.from(new Set(states.map((window) => `status/${window.status}`))),
  ...ordersFor({ agent: agentId, tag, category })
]

export const rfqOrders = (filter: RfqFilter): ReadonlyArray<ReadonlyArray<string>> => [
  ...demandOrders(filter),
  ...(filter.invitee === undefined ? [] : [[`invitee/${filter.invitee}`]])
]

export const quoteOrders = ({ rfqId, agentId }: QuoteFilter): ReadonlyArray<ReadonlyArray<string>> =>
  ordersFor({ rfq: rfqId, agent: agentId })

/** The orders of a participant's rooms. */
export const roomOrders = ({
  participant,
  statuses
}: DealRoomFilter): ReadonlyArray<ReadonlyArray<string>> => [
  statuses === undefined
    ? [`agent/${participant}`]
    : statuses.map((status) => `agent/${participant}/${status}`)
]

export const matchOrders = ({
  demandId,
  party,
  supplyId
}: MatchFilter): ReadonlyArray<ReadonlyArray<string>> =>
  ordersFor({ agent: party, demand: demandId, supply: supplyId })

export const matchesQuote = (filter: QuoteFilter, quote: Quote): boolean =>
  (filter.rfqId === undefined || quote.rfqId === filter.rfqId) &&
  (filter.agentId === undefined || quote.agentId === filter.agentId)
