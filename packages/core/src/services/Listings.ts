/** Listings: publishing, browsing and changing standing offers. Contract §3 Listing, §5. */
import { Context, Effect, Layer } from "effect"
import type { Change } from "../model/Change.ts"
import { InvalidRequest, KeyMissing } from "../model/Errors.ts"
import type { InvalidCursor, NotFound, Unavailable, VersionConflict } from "../model/Errors.ts"
import { ListingId } from "../model/Id.ts"
import type { AgentId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import { Listing } from "../model/Listing.ts"
import type { ListingInput, ListingPatch, ListingStatus, PricingModel } from "../model/Listing.ts"
import { toMicros } from "../model/Money.ts"
import type { CursorPage, Page, PageQuery, PageRequest } from "../model/Page.ts"
import { matchesListing } from "../ports/filters.ts"
import { Ids } from "../ports/Ids.ts"
import type { AgentAction } from "../ports/Policy.ts"
import { SearchIndex } from "../ports/SearchIndex.ts"
import type { ListingFilter } from "../ports/Store.ts"
import { Store } from "../ports/Store.ts"
import { holdListing, holdNewListing } from "../rules/Holds.ts"
import * as rules from "../rules/Listings.ts"
import type { MoveRefused } from "../rules/StateTable.ts"
import { Commands } from "./Commands.ts"
import type { WriteOptions, WriteRefused, Written } from "./Commands.ts"
import { paged } from "./Cursors.ts"
import { gate } from "./Gate.ts"
import type { GateRefused } from "./Gate.ts"
import { notes, withHoldEnded } from "./holds.ts"
import { bindingOf, mentions, scanPage, textPage } from "./lists.ts"
import { moderator } from "./moderation.ts"
import { foreign, matchVersion, notFound, reliesOnAgent } from "./reads.ts"

/** Which listings a caller wants; `agent: "me"` are its own, whatever their status. */
export interface ListingQuery extends PageQuery {
  readonly q?: string | undefined
  readonly tag?: string | undefined
  readonly category?: string | undefined
  readonly agent?: AgentId | "me" | undefined
  readonly pricingModel?: PricingModel | undefined
  readonly maxPrice?: string | undefined
  readonly currency?: string | undefined
  readonly updatedSince?: Instant | undefined
  readonly status?: ListingStatus | undefined
}

export type ListingWriteRefused = WriteRefused | MoveRefused | GateRefused | NotFound | VersionConflict

export class Listings extends Context.Service<
  Listings,
  {
    readonly publish: (
      by: AgentId,
      input: ListingInput,
      options?: WriteOptions
    ) => Effect.Effect<Written<Listing>, WriteRefused | GateRefused>
    readonly get: (
      viewer: AgentId | undefined,
      id: ListingId
    ) => Effect.Effect<Listing, NotFound | Unavailable>
    readonly list: (
      viewer: AgentId | undefined,
      query: ListingQuery
    ) => Effect.Effect<CursorPage<Listing>, InvalidCursor | InvalidRequest | KeyMissing | Unavailable>
    readonly update: (
      by: AgentId,
      id: ListingId,
      patch: ListingPatch,
      options?: WriteOptions
    ) => Effect.Effect<Written<Listing>, ListingWriteRefused>
    /** Activates, pauses or archives. */
    readonly move: (
      by: AgentId,
      id: ListingId,
      move: "activate" | "pause" | "archive",
      options?: WriteOptions
    ) => Effect.Effect<Written<Listing>, ListingWriteRefused>
  }
>()("@souk/core/Listings") {
  static readonly layer: Layer.Layer<Listings, never, Store | Commands | Ids | SearchIndex> = Layer.effect(
    Listings,
    Effect.gen(function* () {
      const store = yield* Store
      const commands = yield* Commands
      const ids = yield* Ids
      const index = yield* SearchIndex
      const actor = yield* gate
      const moderate = yield* moderator

      /** Has what others would see looked at before: it may have to wait. */
      const holdOf = Effect.fnUntraced(function* (listing: Listing, now: Instant) {
        const { agentId, id } = listing
        if (listing.status !== "active") return undefined
        const held = yield* moderate({ kind: "listing", agentId, listing })
        return held?.of(agentId, { kind: "listing", id }, now)
      })

      const seen = Effect.fnUntraced(function* (before: Listing, change: Change<Listing>, now: Instant) {
        const listing = change.result
        const hold = yield* holdOf(listing, now)
        return hold === undefined
          ? yield* withHoldEnded(store, change, before, listing, notes.takenBack, now)
          : yield* Effect.fromResult(holdListing(before, listing, hold))
      })

      /** Reads a listing for its owner to change: what others see is forbidden, what they do not is not found. */
      const owned = Effect.fnUntraced(function* (
        by: AgentId,
        id: ListingId,
        action: AgentAction,
        options: WriteOptions | undefined
      ) {
        const agent = yield* actor(by, action, { subject: id })
        const listing = yield* get(by, id)
        if (listing.agentId !== by) return yield* foreign("listing")
        yield* matchVersion(listing, options)
        return { agent, listing }
      })

      const publish = Effect.fn("Listings.publish")(function* (
        by: AgentId,
        input: ListingInput,
        options?: WriteOptions
      ) {
        // Drawn once: what the moderation has looked at is what is published.
        const id = yield* ids.next("listing")
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const agent = yield* actor(by, "listing.publish")
          const published = rules.publish(input, id, by, now)
          const hold = yield* holdOf(published.result, now)
          const change = hold === undefined ? published : holdNewListing(published.result, hold)
          return { ...change, reliesOn: [reliesOnAgent(agent)] }
        })
        return yield* commands.run({ on: by, result: Listing, decide }, options)
      })

      const get = Effect.fn("Listings.get")(function* (viewer: AgentId | undefined, id: ListingId) {
        const listing = yield* store.listings.byId(id)
        if (listing === undefined || !rules.mayRead(listing, viewer)) return yield* notFound("listing")
        return listing
      })

      const update = Effect.fn("Listings.update")(function* (
        by: AgentId,
        id: ListingId,
        patch: ListingPatch,
        options?: WriteOptions
      ) {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const { agent, listing } = yield* owned(by, id, "listing.update", options)
          const updated = yield* Effect.fromResult(rules.update(listing, patch, now))
          const change = yield* seen(listing, updated, now)
          return { ...change, reliesOn: [reliesOnAgent(agent)] }
        })
        return yield* commands.run({ on: id, result: Listing, decide }, options)
      })

      const move = Effect.fn("Listings.move")(function* (
        by: AgentId,
        id: ListingId,
        name: "activate" | "pause" | "archive",
        options?: WriteOptions
      ) {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const { agent, listing } = yield* owned(by, id, `listing.${name}`, options)
          const moved = yield* Effect.fromResult(rules.move(listing, name, "seller", now))
          const change = yield* seen(listing, moved, now)
          return { ...change, reliesOn: [reliesOnAgent(agent)] }
        })
        return yield* commands.run({ on: id, result: Listing, decide }, options)
      })

      const list = Effect.fn("Listings.list")(function* (viewer: AgentId | undefined, query: ListingQuery) {
        const filter = yield* filterOf(viewer, query)
        const binding = bindingOf("listings", viewer, query)
        const { q } = query
        const read = (page: PageRequest): Effect.Effect<Page<Listing>, Unavailable> => {
          if (q === undefined) return store.listings.list(filter, page)
          // The index holds active listings alone.
          if (filter.status !== "active")
            return scanPage(page, (next) => store.listings.list(filter, next), mentions(q))
          return textPage(index, { text: q, kinds: ["listing"] }, page, (found) =>
            Effect.map(store.listings.byIds(found.map((id) => ListingId.make(id))), (listings) =>
              listings.filter((listing) => matchesListing(filter, listing))
            )
          )
        }
        return yield* paged(binding, query, read)
      })

      return Listings.of({ publish, get, list, update, move })
    })
  )
}

const filterOf = Effect.fnUntraced(function* (viewer: AgentId | undefined, query: ListingQuery) {
  const mine = query.agent === "me" || (query.agent !== undefined && query.agent === viewer)
  if (query.agent === "me" && viewer === undefined)
    return yield* new KeyMissing({ message: "agent=me needs a key: send it as X-AGENT-KEY." })
  if (!mine && query.status !== undefined && query.status !== "active")
    return yield* InvalidRequest.at(
      "query.status",
      "other than active is for one's own listings: add agent=me"
    )
  const filter: ListingFilter = {
    status: query.status ?? (query.agent === "me" ? undefined : "active"),
    agentId: query.agent === "me" ? viewer : query.agent,
    tag: query.tag,
    category: query.category,
    pricingModel: query.pricingModel,
    maxPriceMicros: query.maxPrice === undefined ? undefined : toMicros(query.maxPrice),
    currency: query.currency,
    updatedSince: query.updatedSince
  }
  return filter
})
