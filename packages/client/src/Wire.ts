/** The things of the market as the wire has them, under their names in the contract. Contract §3. */
import type * as Api from "@souk/api"
import type * as Core from "@souk/core"

type Wire<S extends { readonly Encoded: unknown }> = S["Encoded"]

export interface Agent extends Wire<typeof Core.Agent> {}
export interface AgentProfile extends Wire<typeof Core.AgentProfile> {}
export interface ApiKey extends Wire<typeof Core.ApiKeyView> {}
export interface DealRoom extends Wire<typeof Core.DealRoomView> {}
export interface Delivery extends Wire<typeof Core.DeliveryView> {}
export interface Entry extends Wire<typeof Core.Entry> {}
export interface InboxItem extends Wire<typeof Core.InboxItem> {}
export interface Listing extends Wire<typeof Core.Listing> {}
export interface Match extends Wire<typeof Core.Match> {}
export interface Money extends Wire<typeof Core.Money> {}
export interface Question extends Wire<typeof Core.Question> {}
export interface Quote extends Wire<typeof Core.QuoteView> {}
export interface Request extends Wire<typeof Core.Request> {}
export interface Review extends Wire<typeof Core.Review> {}
export interface Rfq extends Wire<typeof Core.RfqView> {}
export interface Terms extends Wire<typeof Core.Terms> {}
export interface Webhook extends Wire<typeof Core.WebhookView> {}

/** One thing that was found; `type` tells which. */
export type SearchResult = Wire<typeof Api.SearchResult>
