/** API keys: telling from a key which agent calls, and looking after an agent's keys. Contract §2. */
import { Context, DateTime, Effect, Layer, Queue, Redacted, Schema } from "effect"
import { SecureRandom } from "effect/crypto"
import {
  ApiKeyView,
  isWellFormedKey,
  keyDigest,
  keyHint,
  keyRandomLength,
  viewKey,
  writeKey
} from "../model/ApiKey.ts"
import type { ApiKey, ApiKeyInput, RotationInput } from "../model/ApiKey.ts"
import type { Change } from "../model/Change.ts"
import { revised } from "../model/Entity.ts"
import { KeyExpired, KeyInvalid, KeyRevoked } from "../model/Errors.ts"
import type {
  InvalidRequest,
  InvalidState,
  LimitReached,
  NotFound,
  Unavailable,
  VersionConflict
} from "../model/Errors.ts"
import type { AgentId, ApiKeyId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import { after, hasPassed, hour } from "../model/Instant.ts"
import { Ids } from "../ports/Ids.ts"
import { Store } from "../ports/Store.ts"
import * as rules from "../rules/Keys.ts"
import { Commands } from "./Commands.ts"
import type { WriteOptions, WriteRefused, Written } from "./Commands.ts"
import { EventFeed } from "./EventFeed.ts"
import { gate } from "./Gate.ts"
import type { GateRefused } from "./Gate.ts"
import { matchVersion, notFound, reliesOnAgent } from "./reads.ts"

/** Who calls, and by which of its keys. */
export interface Principal {
  readonly agentId: AgentId
  readonly keyId: ApiKeyId
}

/** A new key: the only time that its secret is seen. */
export const IssuedKey = Schema.Struct({ key: ApiKeyView, apiKey: Schema.String })
export interface IssuedKey extends Schema.Schema.Type<typeof IssuedKey> {}

export type KeyWriteRefused = WriteRefused | GateRefused

export class Keys extends Context.Service<
  Keys,
  {
    /** Recognises a key; a mistyped one is refused without asking the store. Notes its use, to the hour. */
    readonly authenticate: (
      key: Redacted.Redacted<string>
    ) => Effect.Effect<Principal, KeyInvalid | KeyExpired | KeyRevoked | Unavailable>
    /** Waits until a key opens the door no more: revoked, past its grace, or expired. */
    readonly awaitEnd: (id: ApiKeyId) => Effect.Effect<void, Unavailable>
    /** Every key that the agent ever had, newest first. */
    readonly list: (by: AgentId) => Effect.Effect<ReadonlyArray<ApiKeyView>, Unavailable>
    readonly create: (
      by: AgentId,
      input: ApiKeyInput,
      options?: WriteOptions
    ) => Effect.Effect<Written<IssuedKey>, KeyWriteRefused | InvalidRequest | LimitReached>
    /** Replaces a key; the old one lives on for the grace, never past its own expiry. */
    readonly rotate: (
      by: AgentId,
      id: ApiKeyId,
      input: RotationInput,
      options?: WriteOptions
    ) => Effect.Effect<Written<IssuedKey>, KeyWriteRefused | NotFound | VersionConflict | InvalidState>
    /** Ends a key at once, the one that calls included. */
    readonly revoke: (
      by: AgentId,
      id: ApiKeyId,
      options?: WriteOptions
    ) => Effect.Effect<Written<ApiKeyView>, KeyWriteRefused | NotFound | VersionConflict | InvalidState>
  }
>()("@souk/core/Keys") {
  static readonly layer: Layer.Layer<
    Keys,
    never,
    Store | Commands | Ids | EventFeed | SecureRandom.SecureRandom
  > = Layer.effect(
    Keys,
    Effect.gen(function* () {
      const store = yield* Store
      const commands = yield* Commands
      const ids = yield* Ids
      const feed = yield* EventFeed
      const random = yield* SecureRandom.SecureRandom
      const actor = yield* gate

      const authenticate = Effect.fn("Keys.authenticate")(function* (redacted: Redacted.Redacted<string>) {
        const text = Redacted.value(redacted)
        const unknown = new KeyInvalid({
          message: "The key is not known: check X-AGENT-KEY for a typing error."
        })
        if (!isWellFormedKey(text)) return yield* unknown
        const key = yield* store.keys.byDigest(keyDigest(text))
        if (key === undefined) return yield* unknown
        const now = yield* DateTime.now
        if (key.revokedAt !== null && hasPassed(key.revokedAt, now))
          return yield* new KeyRevoked({ message: "The key was revoked." })
        if (key.expiresAt !== null && hasPassed(key.expiresAt, now))
          return yield* new KeyExpired({ message: "The key has expired." })
        yield* noteUse(key, now)
        return { agentId: key.agentId, keyId: key.id }
      })

      /** Writes at most once an hour for each key; that it could not be written is nobody's failure. */
      const noteUse = (key: ApiKey, now: Instant) => {
        if (key.lastUsedAt !== null && !hasPassed(after(key.lastUsedAt, hour), now)) return Effect.void
        const value: ApiKey = { ...revised(key, { lastUsedAt: now }, now), updatedAt: key.updatedAt }
        const commit = {
          writes: [{ kind: "key" as const, value, replaces: key.version }],
          reliesOn: [],
          events: []
        }
        return Effect.ignore(store.commit(commit))
      }

      const awaitEnd = Effect.fn("Keys.awaitEnd")(function* (id: ApiKeyId) {
        const { events } = yield* feed.subscribe(({ event }) => event.subject.id === id)
        for (;;) {
          const key = yield* store.keys.byId(id)
          const end = key && rules.endOf(key)
          const now = yield* DateTime.now
          if (key === undefined || (end !== undefined && hasPassed(end, now))) return
          const news = Effect.ignore(Queue.take(events))
          yield* end === undefined ? news : Effect.race(news, Effect.sleep(DateTime.distance(now, end)))
        }
      }, Effect.scoped)

      const list = Effect.fn("Keys.list")((by: AgentId) =>
        Effect.map(store.keys.ofAgent(by), (keys) => keys.map(viewKey))
      )

      /** A secret, and what is kept of it. */
      const issue = Effect.gen(function* () {
        const apiKey = writeKey(yield* random.randomBytes(keyRandomLength))
        return {
          apiKey,
          parts: { id: yield* ids.next("key"), digest: keyDigest(apiKey), hint: keyHint(apiKey) }
        }
      })

      const owned = Effect.fnUntraced(function* (
        by: AgentId,
        id: ApiKeyId,
        action: "key.rotate" | "key.revoke",
        options: WriteOptions | undefined
      ) {
        const agent = yield* actor(by, action, { subject: id, inRoom: true })
        const key = yield* store.keys.byId(id)
        if (key === undefined || key.agentId !== by) return yield* notFound("key")
        yield* matchVersion(key, options)
        return { reliesOn: [reliesOnAgent(agent)], key }
      })

      const create = Effect.fn("Keys.create")(function* (
        by: AgentId,
        input: ApiKeyInput,
        options?: WriteOptions
      ) {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const agent = yield* actor(by, "key.create")
          const { apiKey, parts } = yield* issue
          const existing = yield* store.keys.ofAgent(by)
          const change = yield* Effect.fromResult(rules.create(by, existing, input, parts, now))
          return { ...shown(change, apiKey), reliesOn: [reliesOnAgent(agent)] }
        })
        return yield* commands.run({ on: `keys of ${by}`, result: IssuedKey, decide }, options)
      })

      const rotate = Effect.fn("Keys.rotate")(function* (
        by: AgentId,
        id: ApiKeyId,
        input: RotationInput,
        options?: WriteOptions
      ) {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const { key, reliesOn } = yield* owned(by, id, "key.rotate", options)
          const { apiKey, parts } = yield* issue
          const change = yield* Effect.fromResult(rules.rotate(key, input.graceSeconds ?? 0, parts, now))
          return { ...shown(change, apiKey), reliesOn }
        })
        return yield* commands.run({ on: `keys of ${by}`, result: IssuedKey, decide }, options)
      })

      const revoke = Effect.fn("Keys.revoke")(function* (by: AgentId, id: ApiKeyId, options?: WriteOptions) {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const { key, reliesOn } = yield* owned(by, id, "key.revoke", options)
          const change = yield* Effect.fromResult(rules.revoke(key, now))
          return { ...change, result: viewKey(change.result), reliesOn }
        })
        return yield* commands.run({ on: `keys of ${by}`, result: ApiKeyView, decide }, options)
      })

      return Keys.of({ authenticate, awaitEnd, list, create, rotate, revoke })
    })
  )
}

const shown = (change: Change<ApiKey>, apiKey: string): Change<IssuedKey> => ({
  ...change,
  result: { key: viewKey(change.result), apiKey }
})
