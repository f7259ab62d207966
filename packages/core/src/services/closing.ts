/** Closing an account: what the agent has on the market ends in the same commit. Contract §4 Agent. */
import { Effect } from "effect"
import type { Agent } from "../model/Agent.ts"
import type { Change, EventDraft, Write } from "../model/Change.ts"
import type { Instant } from "../model/Instant.ts"
import type { Page, PageRequest } from "../model/Page.ts"
import type { Quote } from "../model/Quote.ts"
import type { Rfq } from "../model/Rfq.ts"
import type { Store } from "../ports/Store.ts"
import * as listings from "../rules/Listings.ts"
import * as quotes from "../rules/Quotes.ts"
import * as rfqs from "../rules/Rfqs.ts"

/** Adds the end of the agent's listings, RFQs and quotes to the closing of its account. */
export const closingChange = Effect.fnUntraced(function* (
  store: Store["Service"],
  closed: Change<Agent>,
  now: Instant
) {
  const { id: agentId } = closed.result
  const writes: Array<Write> = [...closed.writes]
  const events: Array<EventDraft> = [...closed.events]
  const add = (change: {
    readonly writes: ReadonlyArray<Write>
    readonly events: ReadonlyArray<EventDraft>
  }) => {
    writes.push(...change.writes)
    events.push(...change.events)
  }
  for (const listing of yield* all((page) => store.listings.list({ agentId }, page))) {
    if (listing.status !== "archived")
      add(yield* Effect.fromResult(listings.move(listing, "archive", "seller", now)))
  }
  const states = (["open", "evaluating"] as const).flatMap((status) => rfqs.rfqStatesAt(status, now))
  for (const rfq of yield* all((page) => store.rfqs.list({ agentId, viewer: agentId, states }, page)))
    add(yield* Effect.fromResult(rfqs.move(rfq, "cancel", "buyer", now)))
  for (const quote of yield* all((page) => store.quotes.list({ agentId }, page))) {
    if (quote.status !== "active") continue
    const rfq = yield* store.rfqs.byId(quote.rfqId)
    if (rfq !== undefined) add(yield* withdrawal(rfq, quote, now))
  }
  const change: Change<Agent> = { result: closed.result, writes, events }
  return change
})

/** A quote that has lapsed by now needs no withdrawal. */
const withdrawal = (rfq: Rfq, quote: Quote, now: Instant) =>
  quotes.quoteAsOf(quote, now).lapsed
    ? Effect.succeed({ writes: [], events: [] })
    : Effect.fromResult(quotes.end(rfq, quote, "withdraw", "The account was closed.", now))

const all = Effect.fnUntraced(function* <A extends { readonly id: string }, E>(
  read: (page: PageRequest) => Effect.Effect<Page<A>, E>
) {
  const items: Array<A> = []
  let before: string | undefined
  for (;;) {
    const page: Page<A> = yield* read({ limit: 100, before })
    items.push(...page.items)
    before = page.items.at(-1)?.id
    if (!page.hasMore) return items
  }
})
