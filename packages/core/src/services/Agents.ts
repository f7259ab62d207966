/** Agents: accounts and their public profiles. Contract §2, §3 Agent, §5. */
import { Context, DateTime, Effect, Layer, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import { Agent, Handle, normalizeHandle, toProfile } from "../model/Agent.ts"
import type { AgentInput, AgentPatch, AgentProfile } from "../model/Agent.ts"
import { keyDigest, keyHint, keyRandomLength, writeKey } from "../model/ApiKey.ts"
import type { Change } from "../model/Change.ts"
import { HandleTaken } from "../model/Errors.ts"
import type {
  InvalidCursor,
  InvalidRequest,
  NotFound,
  Unavailable,
  VersionConflict
} from "../model/Errors.ts"
import { AgentId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { CursorPage, PageQuery } from "../model/Page.ts"
import type { Review } from "../model/Review.ts"
import { Ids } from "../ports/Ids.ts"
import { Store } from "../ports/Store.ts"
import * as rules from "../rules/Agents.ts"
import { reviewAsOf } from "../rules/Reviews.ts"
import type { MoveRefused } from "../rules/StateTable.ts"
import { belongingsOf, endedAtOnce, endingOf } from "./closing.ts"
import { Commands } from "./Commands.ts"
import type { WriteOptions, WriteRefused, Written } from "./Commands.ts"
import { paged } from "./Cursors.ts"
import { gate } from "./Gate.ts"
import type { GateRefused } from "./Gate.ts"
import { bindingOf } from "./lists.ts"
import { matchVersion, notFound, reliesOnAgent } from "./reads.ts"

/** A new account and its first key: the only time that the key is seen. */
export const Registration = Schema.Struct({ agent: Agent, apiKey: Schema.String })
export interface Registration extends Schema.Schema.Type<typeof Registration> {}

export type AgentWriteRefused = WriteRefused | GateRefused | NotFound | VersionConflict

export class Agents extends Context.Service<
  Agents,
  {
    readonly register: (
      input: AgentInput,
      options?: WriteOptions
    ) => Effect.Effect<Written<Registration>, WriteRefused | HandleTaken>
    /** The caller's own account. */
    readonly me: (by: AgentId) => Effect.Effect<Agent, NotFound | Unavailable>
    /** Finds an agent by id or handle; closed accounts are found too, for the sake of their past deals. */
    readonly profile: (idOrHandle: string) => Effect.Effect<AgentProfile, NotFound | Unavailable>
    readonly list: (query: PageQuery) => Effect.Effect<CursorPage<AgentProfile>, InvalidCursor | Unavailable>
    readonly reviews: (
      idOrHandle: string,
      query: PageQuery
    ) => Effect.Effect<CursorPage<Review>, InvalidCursor | NotFound | Unavailable>
    readonly update: (
      by: AgentId,
      patch: AgentPatch,
      options?: WriteOptions
    ) => Effect.Effect<Written<Agent>, AgentWriteRefused>
    /** Closes the caller's account for good, and ends what it has on the market. */
    readonly close: (
      by: AgentId,
      options?: WriteOptions
    ) => Effect.Effect<Written<Agent>, AgentWriteRefused | MoveRefused | InvalidRequest>
  }
>()("@souk/core/Agents") {
  static readonly layer: Layer.Layer<Agents, never, Store | Commands | Ids | SecureRandom.SecureRandom> =
    Layer.effect(
      Agents,
      Effect.gen(function* () {
        const store = yield* Store
        const commands = yield* Commands
        const ids = yield* Ids
        const random = yield* SecureRandom.SecureRandom
        const actor = yield* gate

        const taken = () => new HandleTaken({ message: "Another agent has this handle. Choose another." })

        const register = Effect.fn("Agents.register")(function* (input: AgentInput, options?: WriteOptions) {
          const handle = normalizeHandle(input.handle)
          const decide = Effect.fnUntraced(function* (now: Instant) {
            if ((yield* store.agents.byHandle(handle)) !== undefined) return yield* taken()
            const apiKey = Redacted.make(writeKey(yield* random.randomBytes(keyRandomLength)))
            const text = Redacted.value(apiKey)
            const key = { id: yield* ids.next("key"), digest: keyDigest(text), hint: keyHint(text) }
            const {
              result: agent,
              writes,
              events
            } = rules.register(input, key, yield* ids.next("agent"), now)
            const change: Change<Registration> = { result: { agent, apiKey: text }, writes, events }
            return change
          })
          return yield* commands.run(
            { on: `handle ${handle}`, result: Registration, decide, taken: { agent_handle: taken } },
            options
          )
        })

        const me = Effect.fn("Agents.me")(function* (by: AgentId) {
          const agent = yield* store.agents.byId(by)
          return agent ?? (yield* notFound("agent"))
        })

        const isId = Schema.is(AgentId)
        const isHandle = Schema.is(Handle)

        const find = Effect.fnUntraced(function* (idOrHandle: string) {
          // What is neither an id nor a handle is nobody's: no store need make sense of it.
          let agent: Agent | undefined
          if (isId(idOrHandle)) agent = yield* store.agents.byId(idOrHandle)
          else if (isHandle(idOrHandle)) agent = yield* store.agents.byHandle(normalizeHandle(idOrHandle))
          return agent ?? (yield* notFound("agent"))
        })

        const profile = Effect.fn("Agents.profile")((idOrHandle: string) =>
          Effect.map(find(idOrHandle), toProfile)
        )

        const list = Effect.fn("Agents.list")(function* (query: PageQuery) {
          const page = yield* paged("agents", query, (page) => store.agents.list(page))
          return { ...page, items: page.items.map(toProfile) }
        })

        const reviews = Effect.fn("Agents.reviews")(function* (idOrHandle: string, query: PageQuery) {
          const { id } = yield* find(idOrHandle)
          const now = yield* DateTime.now
          const page = yield* paged(bindingOf(`reviews of ${id}`, undefined, {}), query, (page) =>
            store.reviews.publishedOf(id, now, page)
          )
          return { ...page, items: page.items.map((review) => reviewAsOf(review, now).review) }
        })

        const update = Effect.fn("Agents.update")(function* (
          by: AgentId,
          patch: AgentPatch,
          options?: WriteOptions
        ) {
          const decide = Effect.fnUntraced(function* (now: Instant) {
            const agent = yield* actor(by, "agent.update")
            yield* matchVersion(agent, options)
            return rules.update(agent, patch, now)
          })
          return yield* commands.run({ on: by, result: Agent, decide }, options)
        })

        const close = Effect.fn("Agents.close")(function* (by: AgentId, options?: WriteOptions) {
          const isMeant = options?.validateOnly !== true
          const agent = yield* me(by)
          if (isMeant && agent.status === "active") {
            yield* matchVersion(agent, options)
            yield* endAll(by, endedAtOnce)
          }
          const decide = Effect.fnUntraced(function* (now: Instant) {
            const agent = yield* actor(by, "agent.close", { inRoom: true })
            yield* matchVersion(agent, options)
            const change = yield* Effect.fromResult(rules.close(agent, now))
            const last = (yield* belongingsOf(store, by, now)).slice(0, endedAtOnce)
            const ending = yield* endingOf(last, now)
            return {
              ...change,
              writes: [...change.writes, ...ending.writes],
              events: [...change.events, ...ending.events]
            }
          })
          // Others, or another node, can let something begin while the account closes: nothing new can after it. Where
          // its end was cut off, a second call comes back to it, although it is refused.
          const rest = isMeant ? endRest(by) : Effect.void
          const closed = yield* Effect.tapError(
            commands.run({ on: by, result: Agent, decide }, options),
            () => Effect.ignore(rest)
          )
          yield* rest
          return closed
        })

        /** Ends what a closed account still has. */
        const endRest = Effect.fnUntraced(function* (by: AgentId) {
          if ((yield* me(by)).status === "closed") yield* endAll(by, 0)
        })

        /** Ends what an agent has on the market, in commits of bounded size, but for the last few. */
        const endAll = Effect.fnUntraced(function* (by: AgentId, keep: number) {
          const belongings = yield* belongingsOf(store, by, yield* DateTime.now)
          const ends = belongings.slice(keep)
          for (let start = 0; start < ends.length; start += endedAtOnce) {
            const decide = Effect.fnUntraced(function* (now: Instant) {
              const agent = yield* actor(by, "agent.close", { inRoom: true })
              const ending = yield* endingOf(ends.slice(start, start + endedAtOnce), now)
              return { ...ending, result: true, reliesOn: [reliesOnAgent(agent)] }
            })
            yield* commands.run({ on: by, result: Schema.Boolean, decide })
          }
        })

        return Agents.of({ register, me, profile, list, reviews, update, close })
      })
    )
}
