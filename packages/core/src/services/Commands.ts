/**
 * Commands: read, decide, commit.
 *
 * Every write of the market goes through `run`. It reads and decides anew when a version turns out stale, a few times;
 * it commits the change, its events and the idempotency record in one step; and it tells the search index and the
 * event feed of what was committed.
 */
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import type { Change, EventDraft } from "../model/Change.ts"
import { Conflict, IdempotencyInFlight, IdempotencyKeyReused } from "../model/Errors.ts"
import type { Unavailable } from "../model/Errors.ts"
import type { NewEvent } from "../model/Event.ts"
import type { Instant } from "../model/Instant.ts"
import { after, day } from "../model/Instant.ts"
import { Ids } from "../ports/Ids.ts"
import { SearchIndex } from "../ports/SearchIndex.ts"
import type { Constraint, IdempotencyRecord, StaleVersion, UniqueViolation } from "../ports/Store.ts"
import { Store } from "../ports/Store.ts"
import { deadlinesOf } from "../rules/Deadlines.ts"
import { Alarm } from "./Alarm.ts"
import { EventFeed } from "./EventFeed.ts"
import { Hearing, makeVerdicts } from "./Hearing.ts"
import type { Unheard } from "./Hearing.ts"
import * as KeyedLock from "./KeyedLock.ts"
import { indexChanges } from "./Projection.ts"
import type { ScopedKey } from "./SealedReply.ts"
import { recordId, SealedReply } from "./SealedReply.ts"

/** How a caller wants a write to be done. Contract §1. */
export interface WriteOptions {
  /** Do it at most once in 24 hours; `bodyDigest` tells the same request from another with the same key. */
  readonly idempotency?: (ScopedKey & { readonly bodyDigest: string }) | undefined
  /** Refuse with `version_conflict` unless the resource has this version. */
  readonly ifMatch?: number | undefined
  /** Check everything and change nothing; the result is what would have been. */
  readonly validateOnly?: boolean | undefined
}

/** The result of a write. `replayed`: it was done before, for the same Idempotency-Key. */
export interface Written<out A> {
  readonly value: A
  readonly replayed: boolean
}

/** What every write can come to beside its own refusals. */
export type WriteRefused = Conflict | IdempotencyKeyReused | IdempotencyInFlight | Unavailable

export interface Command<A, I, E> {
  /** What is written to: commands on the same key queue in this process. */
  readonly on: string
  /** How the result is kept for a replay. */
  readonly result: Schema.Codec<A, I>
  /** `Unheard` where the host is to be asked first: it is, outside of every lock, and then this is done anew. */
  readonly decide: (now: Instant) => Effect.Effect<Change<A>, E | Unheard>
  /** The refusal for a value that turned out to be taken. */
  readonly taken?: Partial<Record<Constraint, () => E>> | undefined
}

const attempts = 5
/** How often the host is asked in one command: more than once where what it was asked about changes meanwhile. */
const questions = 10
/** The lock of those that were too late: no id is empty. */
const contended = ""
const idempotencyLife = day

export class Commands extends Context.Service<
  Commands,
  {
    readonly run: <A, I, E>(
      command: Command<A, I, E>,
      options?: WriteOptions
    ) => Effect.Effect<Written<A>, E | WriteRefused>
  }
>()("@souk/core/Commands") {
  static readonly layer: Layer.Layer<
    Commands,
    never,
    Store | Ids | SearchIndex | EventFeed | SealedReply | Alarm
  > = Layer.effect(
    Commands,
    Effect.gen(function* () {
      const store = yield* Store
      const ids = yield* Ids
      const index = yield* SearchIndex
      const feed = yield* EventFeed
      const sealed = yield* SealedReply
      const alarm = yield* Alarm
      const locks = yield* KeyedLock.make
      const inFlight = new Set<string>()

      const stamp = (draft: EventDraft, now: Instant): Effect.Effect<NewEvent> =>
        Effect.map(ids.next("event"), (id) => {
          const { audience, actorId, at = now, type, subject, data } = draft
          return {
            audience,
            event: { id, type, at, ...(actorId === undefined ? {} : { actorId }), subject, data }
          }
        })

      /**
       * Commits a change, unless there is nothing to keep of it. What is committed is findable and heard of before the
       * caller gets his answer.
       */
      const commit = Effect.fnUntraced(function* <A>(
        change: Change<A>,
        now: Instant,
        record: IdempotencyRecord | undefined
      ) {
        const deadlines = [...(change.deadlines ?? []), ...deadlinesOf(change.writes)]
        const isEmpty = change.writes.length + change.events.length + deadlines.length === 0
        if (isEmpty && record === undefined) return
        const events = yield* Effect.forEach(change.events, (draft) => stamp(draft, now))
        yield* store.commit({
          writes: change.writes,
          reliesOn: change.reliesOn ?? [],
          events,
          deadlines,
          idempotency: record
        })
        yield* index.apply(indexChanges(change.writes))
        yield* feed.wake
        for (const { at } of deadlines) if (at !== null) yield* alarm.set(at)
      }, Effect.uninterruptible)

      const attempt = Effect.fnUntraced(function* <A, I, E>(
        command: Command<A, I, E>,
        options: WriteOptions
      ) {
        const now = yield* DateTime.now
        const change = yield* command.decide(now)
        if (options.validateOnly !== true)
          yield* commit(change, now, yield* recordOf(command, options, change.result, now))
        return change.result
      })

      const recordOf = Effect.fnUntraced(function* <A, I, E>(
        command: Command<A, I, E>,
        { idempotency }: WriteOptions,
        result: A,
        now: Instant
      ) {
        if (idempotency === undefined) return undefined
        const reply = yield* Effect.orDie(
          Schema.encodeEffect(Schema.fromJsonString(Schema.toCodecJson(command.result)))(result)
        )
        return {
          id: recordId(idempotency),
          bodyDigest: idempotency.bodyDigest,
          reply: yield* sealed.seal(idempotency, reply),
          createdAt: now,
          expiresAt: after(now, idempotencyLife)
        }
      })

      /**
       * Commands on different aggregates can meet in a third, such as the agent whose deals they complete. Those that
       * came too late once queue for one lock, which is taken last, so that each gets its turn.
       */
      const inTurn = <A, I, E>(command: Command<A, I, E>, options: WriteOptions) => {
        const again = (left: number): Effect.Effect<A, E | Unheard | Failure> =>
          attempt(command, options).pipe(
            Effect.catchIf(isStale, () =>
              left > 0 ? Effect.andThen(Effect.yieldNow, again(left - 1)) : Effect.fail(outpaced())
            )
          )
        return attempt(command, options).pipe(
          Effect.catchIf(isStale, () => locks.withLock(contended)(again(attempts - 2))),
          locks.withLock(command.on)
        )
      }

      /** Decides until the host has said all that is needed: he takes his time, and no lock is held meanwhile. */
      const retried = <A, I, E>(command: Command<A, I, E>, options: WriteOptions) => {
        const decided = (left: number): Effect.Effect<A, E | Failure> =>
          inTurn(command, options).pipe(
            Effect.catchIf(isUnheard, ({ ask }) =>
              left > 0 ? Effect.andThen(ask, decided(left - 1)) : Effect.fail(outpaced())
            )
          )
        return Effect.suspend(() => Effect.provideService(decided(questions), Hearing, makeVerdicts()))
      }

      const replay = Effect.fnUntraced(function* <A, I, E>(
        command: Command<A, I, E>,
        idempotency: NonNullable<WriteOptions["idempotency"]>
      ) {
        const record = yield* store.idempotency.byId(recordId(idempotency))
        const now = yield* DateTime.now
        if (record === undefined || DateTime.isLessThanOrEqualTo(record.expiresAt, now)) return undefined
        if (record.bodyDigest !== idempotency.bodyDigest)
          return yield* new IdempotencyKeyReused({
            message: "This Idempotency-Key was used with another body. Use a new key for a new request."
          })
        const reply = yield* sealed.open(idempotency, record.reply)
        const codec = Schema.fromJsonString(Schema.toCodecJson(command.result))
        return { value: yield* Effect.orDie(Schema.decodeEffect(codec)(reply)), replayed: true }
      })

      const once = <A, I, E>(
        command: Command<A, I, E>,
        options: WriteOptions,
        idempotency: NonNullable<WriteOptions["idempotency"]>
      ) => {
        const id = recordId(idempotency)
        const enter = Effect.suspend(() => {
          if (inFlight.has(id))
            return Effect.fail(
              new IdempotencyInFlight({
                message: "The first request with this Idempotency-Key has not ended.",
                retryAfterSeconds: 1
              })
            )
          inFlight.add(id)
          return Effect.void
        })
        const leave = Effect.sync(() => inFlight.delete(id))
        return Effect.acquireUseRelease(
          enter,
          () =>
            Effect.flatMap(replay(command, idempotency), (known) =>
              known !== undefined
                ? Effect.succeed(known)
                : retried(command, options).pipe(
                    Effect.map((value) => ({ value, replayed: false })),
                    // Another node was first with the same key: its reply is the reply.
                    Effect.catchIf(
                      (error) => isTaken(error) && error.constraint === "idempotency",
                      (error) =>
                        Effect.flatMap(replay(command, idempotency), (known) =>
                          known === undefined ? Effect.fail(error) : Effect.succeed(known)
                        )
                    )
                  )
            ),
          () => leave
        )
      }

      const run = <A, I, E>(command: Command<A, I, E>, options: WriteOptions = {}) => {
        const { idempotency } = options
        const written: Effect.Effect<Written<A>, E | WriteRefused | UniqueViolation> = idempotency ===
          undefined || options.validateOnly === true
          ? Effect.map(retried(command, options), (value) => ({ value, replayed: false }))
          : once(command, options, idempotency)
        return Effect.catchIf(written, isTaken, ({ constraint }) => {
          const refusal = command.taken?.[constraint]
          return Effect.fail(
            refusal === undefined
              ? new Conflict({ message: "Others did this at the same time. Try again." })
              : refusal()
          )
        })
      }

      return Commands.of({ run })
    })
  )
}

/** What a decision can come to beside its refusals. */
type Failure = Conflict | UniqueViolation | Unavailable

const outpaced = () => new Conflict({ message: "Others changed this at the same time. Try again." })

const isUnheard = (error: unknown): error is Unheard => hasTag(error, "Unheard")
const isStale = (error: unknown): error is StaleVersion => hasTag(error, "StaleVersion")
const isTaken = (error: unknown): error is UniqueViolation => hasTag(error, "UniqueViolation")
const hasTag = (error: unknown, tag: string): boolean =>
  typeof error === "object" && error !== null && "_tag" in error && error._tag === tag
