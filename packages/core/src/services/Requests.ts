/** Requests: standing demands without a formal call for quotes. Contract §3 Request, §5. */
import { Context, DateTime, Effect, Layer } from "effect"
import { InvalidRequest, KeyMissing } from "../model/Errors.ts"
import type { InvalidCursor, NotFound, Unavailable, VersionConflict } from "../model/Errors.ts"
import { RequestId } from "../model/Id.ts"
import type { AgentId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import { toMicros } from "../model/Money.ts"
import type { CursorPage, Page, PageQuery, PageRequest } from "../model/Page.ts"
import { Request, RequestStatus } from "../model/Request.ts"
import type { RequestInput, RequestPatch } from "../model/Request.ts"
import { matchesRequest } from "../ports/filters.ts"
import { Ids } from "../ports/Ids.ts"
import type { AgentAction } from "../ports/Policy.ts"
import { SearchIndex } from "../ports/SearchIndex.ts"
import type { RequestFilter } from "../ports/Store.ts"
import { Store } from "../ports/Store.ts"
import * as rules from "../rules/Requests.ts"
import type { MoveRefused } from "../rules/StateTable.ts"
import { Commands } from "./Commands.ts"
import type { WriteOptions, WriteRefused, Written } from "./Commands.ts"
import { paged } from "./Cursors.ts"
import { gate } from "./Gate.ts"
import type { GateRefused } from "./Gate.ts"
import { bindingOf, mentions, scanPage, textPage } from "./lists.ts"
import { foreign, matchVersion, notFound, reliesOnAgent } from "./reads.ts"

/** Which requests a caller wants: open ones where nothing is said; `agent: "me"` are its own, whatever their status. */
export interface RequestQuery extends PageQuery {
  readonly q?: string | undefined
  readonly tag?: string | undefined
  readonly category?: string | undefined
  readonly agent?: AgentId | "me" | undefined
  readonly maxPrice?: string | undefined
  readonly currency?: string | undefined
  readonly updatedSince?: Instant | undefined
  readonly status?: RequestStatus | undefined
}

export type RequestWriteRefused =
  | WriteRefused
  | MoveRefused
  | InvalidRequest
  | GateRefused
  | NotFound
  | VersionConflict

export class Requests extends Context.Service<
  Requests,
  {
    readonly open: (
      by: AgentId,
      input: RequestInput,
      options?: WriteOptions
    ) => Effect.Effect<Written<Request>, WriteRefused | InvalidRequest | GateRefused>
    readonly get: (
      viewer: AgentId | undefined,
      id: RequestId
    ) => Effect.Effect<Request, NotFound | Unavailable>
    readonly list: (
      viewer: AgentId | undefined,
      query: RequestQuery
    ) => Effect.Effect<CursorPage<Request>, InvalidCursor | InvalidRequest | KeyMissing | Unavailable>
    readonly update: (
      by: AgentId,
      id: RequestId,
      patch: RequestPatch,
      options?: WriteOptions
    ) => Effect.Effect<Written<Request>, RequestWriteRefused>
    /** Ends a request: it found what it asked for, or is given up. */
    readonly end: (
      by: AgentId,
      id: RequestId,
      move: "fulfil" | "cancel",
      options?: WriteOptions
    ) => Effect.Effect<Written<Request>, RequestWriteRefused>
  }
>()("@souk/core/Requests") {
  static readonly layer: Layer.Layer<Requests, never, Store | Commands | Ids | SearchIndex> = Layer.effect(
    Requests,
    Effect.gen(function* () {
      const store = yield* Store
      const commands = yield* Commands
      const ids = yield* Ids
      const index = yield* SearchIndex
      const actor = yield* gate

      const judged = Effect.fnUntraced(function* (viewer: AgentId | undefined, id: RequestId, now: Instant) {
        const stored = yield* store.requests.byId(id)
        if (stored === undefined) return yield* notFound("request")
        const { request } = rules.requestAsOf(stored, now)
        if (!rules.mayRead(request, viewer)) return yield* notFound("request")
        return { stored, request }
      })

      const owned = Effect.fnUntraced(function* (
        by: AgentId,
        id: RequestId,
        action: AgentAction,
        now: Instant,
        options: WriteOptions | undefined
      ) {
        const agent = yield* actor(by, action, { subject: id })
        const { stored, request } = yield* judged(by, id, now)
        if (stored.agentId !== by) return yield* foreign("request")
        yield* matchVersion(request, options)
        return { reliesOn: [reliesOnAgent(agent)], stored }
      })

      const open = Effect.fn("Requests.open")(function* (
        by: AgentId,
        input: RequestInput,
        options?: WriteOptions
      ) {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const agent = yield* actor(by, "request.open")
          const change = yield* Effect.fromResult(rules.open(input, yield* ids.next("request"), by, now))
          return { ...change, reliesOn: [reliesOnAgent(agent)] }
        })
        return yield* commands.run({ on: by, result: Request, decide }, options)
      })

      const get = Effect.fn("Requests.get")(function* (viewer: AgentId | undefined, id: RequestId) {
        const { request } = yield* judged(viewer, id, yield* DateTime.now)
        return request
      })

      const list = Effect.fn("Requests.list")(function* (viewer: AgentId | undefined, query: RequestQuery) {
        const now = yield* DateTime.now
        const filter = yield* filterOf(viewer, query, now)
        const { q } = query
        const read = (page: PageRequest): Effect.Effect<Page<Request>, Unavailable> => {
          if (q === undefined) return store.requests.list(filter, page)
          // The index holds open requests alone.
          if (statusesOf(query).some((status) => status !== "open"))
            return scanPage(page, (next) => store.requests.list(filter, next), mentions(q))
          return textPage(index, { text: q, kinds: ["request"] }, page, (found) =>
            Effect.map(store.requests.byIds(found.map((id) => RequestId.make(id))), (requests) =>
              requests.filter((request) => matchesRequest(filter, request))
            )
          )
        }
        const page = yield* paged(bindingOf("requests", viewer, query), query, read)
        return { ...page, items: page.items.map((request) => rules.requestAsOf(request, now).request) }
      })

      const update = Effect.fn("Requests.update")(function* (
        by: AgentId,
        id: RequestId,
        patch: RequestPatch,
        options?: WriteOptions
      ) {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const { reliesOn, stored } = yield* owned(by, id, "request.update", now, options)
          return { ...(yield* Effect.fromResult(rules.update(stored, patch, now))), reliesOn }
        })
        return yield* commands.run({ on: id, result: Request, decide }, options)
      })

      const end = Effect.fn("Requests.end")(function* (
        by: AgentId,
        id: RequestId,
        name: "fulfil" | "cancel",
        options?: WriteOptions
      ) {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const { reliesOn, stored } = yield* owned(by, id, `request.${name}`, now, options)
          return { ...(yield* Effect.fromResult(rules.end(stored, name, now))), reliesOn }
        })
        return yield* commands.run({ on: id, result: Request, decide }, options)
      })

      return Requests.of({ open, get, list, update, end })
    })
  )
}

const filterOf = Effect.fnUntraced(function* (
  viewer: AgentId | undefined,
  query: RequestQuery,
  now: Instant
) {
  const own = query.agent === "me" || (query.agent !== undefined && query.agent === viewer)
  if (query.agent === "me" && viewer === undefined)
    return yield* new KeyMissing({ message: "agent=me needs a key: send it as X-AGENT-KEY." })
  if (!own && query.status !== undefined && query.status !== "open")
    return yield* InvalidRequest.at("query.status", "other than open is for one's own requests: add agent=me")
  const filter: RequestFilter = {
    states: statusesOf(query).flatMap((status) => rules.requestStatesAt(status, now)),
    agentId: query.agent === "me" ? viewer : query.agent,
    tag: query.tag,
    category: query.category,
    maxPriceMicros: query.maxPrice === undefined ? undefined : toMicros(query.maxPrice),
    currency: query.currency,
    updatedSince: query.updatedSince
  }
  return filter
})

const statusesOf = ({ agent, status }: RequestQuery): ReadonlyArray<RequestStatus> => {
  if (status !== undefined) return [status]
  return agent === "me" ? RequestStatus.literals : ["open"]
}
