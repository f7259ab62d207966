/**
 * Deliveries: from an event to each webhook that wants it, at least once.
 *
 * What is to be delivered is written down together with how far the feed was read, so that no event is forgotten and
 * none is made into two deliveries, whichever node reads it and whenever one dies. A delivery is claimed before it is
 * sent, and kept as long as that takes: no other node sends it meanwhile. Contract §6.
 */
import { Clock, Context, DateTime, Duration, Effect, Layer, Option, Queue, Schema } from "effect"
import type { Bookmark } from "../model/Bookmark.ts"
import { sha256Hex } from "../model/Canonical.ts"
import type { Change, Write } from "../model/Change.ts"
import type { Unavailable } from "../model/Errors.ts"
import { Event } from "../model/Event.ts"
import type { StoredEvent } from "../model/Event.ts"
import type { TaskId, WebhookId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import { after, day } from "../model/Instant.ts"
import type { Attempt } from "../model/Task.ts"
import { Webhook } from "../model/Webhook.ts"
import { Ids } from "../ports/Ids.ts"
import { Store } from "../ports/Store.ts"
import { SendFailed, WebhookSender } from "../ports/WebhookSender.ts"
import type { Sender } from "../ports/WebhookSender.ts"
import { moveBookmark } from "../rules/Bookmarks.ts"
import { claim as claimed } from "../rules/Tasks.ts"
import * as rules from "../rules/Webhooks.ts"
import { keepClaim } from "./claims.ts"
import { Commands } from "./Commands.ts"
import type { Command } from "./Commands.ts"
import { apart } from "./hosts.ts"
import { readAll } from "./lists.ts"

export interface DeliveryOptions {
  /** How long a receiver may take to answer; 15 where nothing is said. */
  readonly timeoutSeconds?: number | undefined
  /** How often a process that is alone with its store looks for what nobody woke it for; 60 where nothing is said. */
  readonly lookUpEverySeconds?: number | undefined
}

/** The names of the bookmarks: the events that are done, and how far the one behind them is. */
const reader = "webhooks"
const withinReader = "webhooks, within an event"
const eventsRead = 200
const tasksWritten = 500
/** How many events that nobody wants pass before the bookmark moves over them. */
const skippedAtMost = 1000
/** How many attempts at one webhook are under way at a time. */
const sentAtOnce = 4
const endedAtOnce = 100
/** After so many deliveries to a webhook is looked how many wait. */
const countedEvery = 1000

/** What came of an attempt to claim a delivery; what is claimed is to be sent. */
const Claim = Schema.Union([
  Schema.Literals(["not_due", "ended"]),
  Schema.Struct({ webhook: Webhook, event: Event, version: Schema.Int })
])
type Claim = typeof Claim.Type

export class Deliveries extends Context.Service<
  Deliveries,
  {
    /** Makes deliveries of the next events behind the bookmark; tells whether there may be more. */
    readonly fanOut: Effect.Effect<boolean, Unavailable>
    /**
     * Tries up to four deliveries of a webhook that are due, one where it gave no answer last, and tells how many moved
     * on.
     */
    readonly deliver: (queue: string) => Effect.Effect<number, Unavailable>
    /** Ends all that a webhook was still to get, unless it is active. */
    readonly endAll: (id: WebhookId) => Effect.Effect<void, Unavailable>
    /** Tells that something is to be delivered. */
    readonly wake: Effect.Effect<void>
    /** Waits for that. */
    readonly awaitWake: Effect.Effect<void>
  }
>()("@souk/core/Deliveries") {
  static readonly layer = ({ timeoutSeconds = 15 }: DeliveryOptions = {}): Layer.Layer<
    Deliveries,
    never,
    Store | Commands | Ids
  > => Layer.effect(Deliveries, make(timeoutSeconds))
}

const make = Effect.fnUntraced(function* (timeoutSeconds: number) {
  const store = yield* Store
  const commands = yield* Commands
  const ids = yield* Ids
  const sender = yield* WebhookSender
  const keepTask = keepClaim(store, commands)
  const signal = yield* Queue.sliding<void>(1)
  const wake = Effect.asVoid(Queue.offer(signal, undefined))
  /** Behind this, nothing is left to fan out, whatever the bookmark says; and how many events since it moved. */
  const read = { position: 0, skipped: 0 }
  /** How many deliveries were made for each webhook since what waits for it was counted. */
  const written = new Map<WebhookId, number>()
  /** The webhooks that gave no answer when they were called last. */
  const silent = new Set<string>()

  /** Runs a command of the market's own; what others are at is left to them. */
  const run = <A, I>(command: Command<A, I, Unavailable>, otherwise: A) =>
    commands.run(command).pipe(
      Effect.map(({ value }) => value),
      Effect.catchTag(["Conflict", "IdempotencyInFlight", "IdempotencyKeyReused"], () =>
        Effect.succeed(otherwise)
      )
    )

  // ---------------------------------------------------------------------------
  // From events to deliveries
  // ---------------------------------------------------------------------------

  const fanOut = Effect.fn("Deliveries.fanOut")(function* () {
    const within = yield* store.bookmarks.byId(withinReader)
    const bookmark = yield* store.bookmarks.byId(reader)
    const from = Math.max(bookmark?.position ?? 0, read.position)
    const latest = yield* store.events.latest
    const events = yield* store.events.after(from, eventsRead)
    // Read after the events: whoever had a webhook when one of them happened is here.
    const webhooks = yield* readAll((page) => store.webhooks.active(page))
    const wantedFrom = Math.min(latest, ...webhooks.map(({ hearsFrom }) => hearsFrom))
    if (webhooks.length === 0 || wantedFrom > from) {
      read.position = webhooks.length === 0 ? Math.max(from, latest) : wantedFrom
      return webhooks.length > 0
    }
    const begun = { position: (bookmark?.position ?? 0) + 1, place: within?.position ?? 0 }
    const part = partOf(events, webhooks, { from, begun, limit: tasksWritten })
    read.skipped += events.length
    const isDone =
      part.receivers.length > 0 || read.skipped >= skippedAtMost ? yield* keep(bookmark, within, part) : true
    if (isDone) read.position = part.position
    return !isDone || (events.length > 0 && part.position < latest)
  })()

  /** Writes deliveries and the bookmarks, unless another node has moved them. */
  const keep = Effect.fnUntraced(function* (
    bookmark: Bookmark | undefined,
    within: Bookmark | undefined,
    { place, position, receivers }: Part
  ) {
    const decide = Effect.fnUntraced(function* (now: Instant) {
      const current = yield* store.bookmarks.byId(reader)
      const currentWithin = yield* store.bookmarks.byId(withinReader)
      if (current?.version !== bookmark?.version || currentWithin?.version !== within?.version)
        return unchanged(false)
      const tasks = yield* Effect.forEach(receivers, ({ webhookId, event }) =>
        Effect.map(ids.next("task"), (id): Write => ({
          kind: "task",
          value: rules.delivery(webhookId, event, id, now),
          replaces: null
        }))
      )
      const moved = moveBookmark(reader, bookmark, position, now)
      const isSamePlace = place === (within?.position ?? 0)
      const movedWithin = isSamePlace ? [] : [moveBookmark(withinReader, within, place, now)]
      return { result: true, writes: [...tasks, moved, ...movedWithin], events: [] }
    })
    const isKept = yield* run({ on: `bookmark ${reader}`, result: Schema.Boolean, decide }, false)
    if (!isKept) return false
    read.skipped = 0
    if (receivers.length > 0) yield* wake
    yield* bound(receivers)
    return true
  })

  /** Counts what each webhook is to get, and disables those for which too much waits. */
  const bound = Effect.fnUntraced(function* (receivers: ReadonlyArray<Receiver>) {
    for (const { webhookId } of receivers) written.set(webhookId, (written.get(webhookId) ?? 0) + 1)
    for (const [id, count] of written) {
      if (count < countedEvery) continue
      written.delete(id)
      const soon = after(yield* DateTime.now, longestWait)
      const waiting = yield* store.tasks.due(id, soon, rules.maxWaiting)
      if (waiting.length === rules.maxWaiting) yield* disable(id)
    }
  })

  const disable = Effect.fnUntraced(function* (id: WebhookId) {
    const decide = Effect.fnUntraced(function* (now: Instant) {
      const webhook = yield* store.webhooks.byId(id)
      const writes = webhook === undefined ? [] : rules.overflow(webhook, now)
      return { result: writes.length > 0, writes, events: [] }
    })
    if (yield* run({ on: id, result: Schema.Boolean, decide }, false)) yield* endAll(id)
  })

  // ---------------------------------------------------------------------------
  // From deliveries to attempts
  // ---------------------------------------------------------------------------

  const claim = (id: TaskId) =>
    run<Claim, typeof Claim.Encoded>(
      {
        on: id,
        result: Claim,
        decide: Effect.fnUntraced(function* (now: Instant) {
          const task = yield* store.tasks.byId(id)
          if (task === undefined || !rules.isDue(task, now) || task.work.kind !== "delivery")
            return unchanged<Claim>("not_due")
          const { event, webhookId } = task.work
          const webhook = yield* store.webhooks.byId(webhookId)
          if (webhook?.status !== "active")
            return { ...unchanged<Claim>("ended"), writes: [rules.end(task, now)] }
          const value = claimed(task, now)
          const write: Write = { kind: "task", value, replaces: task.version }
          return { ...unchanged<Claim>({ webhook, event, version: value.version }), writes: [write] }
        })
      },
      "not_due"
    )

  const send = Effect.fnUntraced(function* (sender: Sender, webhook: Webhook, event: Event) {
    const body = JSON.stringify(encodeEvent(event))
    const at = yield* DateTime.now
    const headers = rules.headersOf(webhook, event.id, body, at)
    const outcome = yield* apart(() => sender.send({ url: webhook.url, headers, body })).pipe(
      Effect.timeoutOption(Duration.seconds(timeoutSeconds)),
      Effect.map(
        Option.match({
          onNone: () => ({ error: `No answer within ${timeoutSeconds} s.` }),
          onSome: toOutcome
        })
      ),
      Effect.catchDefect((defect) =>
        Effect.andThen(
          Effect.logError(`Webhook ${webhook.id} could not be called`, defect),
          Effect.fail(new SendFailed({ reason: "It could not be sent." }))
        )
      ),
      Effect.catchTag("HostFault", () => Effect.fail(new SendFailed({ reason: "It was broken off." }))),
      Effect.catchTag("SendFailed", ({ reason }) => Effect.succeed({ error: reason }))
    )
    const durationMillis = (yield* Clock.currentTimeMillis) - DateTime.toEpochMillis(at)
    const attempt: Attempt = { at, durationMillis, succeeded: false, ...outcome }
    return attempt
  })

  /** Writes down what came of an attempt; tells whether the webhook is at its end. */
  const settle = (id: TaskId, webhookId: WebhookId, attempt: Attempt) =>
    run(
      {
        on: id,
        result: Schema.Boolean,
        decide: Effect.fnUntraced(function* (now: Instant) {
          const task = yield* store.tasks.byId(id)
          if (task === undefined) return unchanged(false)
          const webhook = yield* store.webhooks.byId(webhookId)
          const writes = rules.settle(task, webhook, attempt, now)
          return { result: writes.some(({ kind }) => kind === "webhook"), writes, events: [] }
        })
      },
      false
    )

  const attempt = Effect.fnUntraced(function* (sender: Sender, id: TaskId) {
    const hand = yield* claim(id)
    if (typeof hand === "string") return hand === "ended"
    const { event, version, webhook } = hand
    const { value: made } = yield* keepTask(id, version, send(sender, webhook, event))
    if (made.status === undefined) silent.add(webhook.id)
    else silent.delete(webhook.id)
    if (yield* settle(id, webhook.id, made)) {
      silent.delete(webhook.id)
      yield* endAll(webhook.id)
    }
    return true
  })

  const deliver = Effect.fn("Deliveries.deliver")(function* (queue: string) {
    if (sender === undefined) return 0
    const limit = silent.has(queue) ? 1 : sentAtOnce
    const due = yield* store.tasks.due(queue, yield* DateTime.now, limit)
    const moved = yield* Effect.forEach(due, ({ id }) => attempt(sender, id), { concurrency: sentAtOnce })
    return moved.filter(Boolean).length
  })

  const endAll = Effect.fn("Deliveries.endAll")(function* (id: WebhookId) {
    const decide = Effect.fnUntraced(function* (now: Instant) {
      const webhook = yield* store.webhooks.byId(id)
      if (webhook === undefined || webhook.status === "active") return unchanged(false)
      const tasks = yield* store.tasks.due(id, after(now, longestWait), endedAtOnce)
      return {
        result: tasks.length === endedAtOnce,
        writes: tasks.map((task) => rules.end(task, now)),
        events: [],
        reliesOn: [{ kind: "webhook" as const, id, version: webhook.version }]
      }
    })
    const part = run({ on: id, result: Schema.Boolean, decide }, false)
    yield* Effect.repeat(part, { while: (isMore) => isMore })
  })

  return Deliveries.of({ fanOut, deliver, endAll, wake, awaitWake: Queue.take(signal) })
})

/** Beyond the longest pause between attempts. */
const longestWait = 2 * day

interface Receiver {
  readonly webhookId: WebhookId
  readonly event: StoredEvent
}

/** What one commit holds of the deliveries, and how far it comes: `place` where it ends within the event behind. */
interface Part {
  readonly receivers: ReadonlyArray<Receiver>
  readonly position: number
  readonly place: number
}

interface Start {
  readonly from: number
  /** The event of which a part may be done already, up to a place; 0 where nothing is. */
  readonly begun: { readonly position: number; readonly place: number }
  readonly limit: number
}

/**
 * Who gets which of some events, as far as one commit should hold them. An event that too many want is made into
 * deliveries in parts, in the order of the webhooks' places, and is the last of its commit.
 */
const partOf = (
  events: ReadonlyArray<StoredEvent>,
  webhooks: ReadonlyArray<Webhook>,
  { begun, from, limit }: Start
): Part => {
  const judges = webhooks.map((webhook) => ({ webhookId: webhook.id, wants: rules.wants(webhook) }))
  const receivers: Array<Receiver> = []
  let position = from
  for (const event of events) {
    const done = event.position === begun.position ? begun.place : 0
    const wanting = judges
      .filter(({ wants, webhookId }) => wants(event) && (done === 0 || placeOf(webhookId) > done))
      .map(({ webhookId }) => ({ webhookId, event }))
    if (wanting.length > limit && receivers.length === 0) {
      const placed = wanting.map((receiver) => ({ receiver, place: placeOf(receiver.webhookId) }))
      placed.sort((a, b) => a.place - b.place)
      const place = placed[limit - 1]?.place ?? 0
      const first = placed.filter((one) => one.place <= place).map(({ receiver }) => receiver)
      return { receivers: first, position: event.position - 1, place }
    }
    if (receivers.length + wanting.length > limit) break
    receivers.push(...wanting)
    position = event.position
  }
  return { receivers, position, place: 0 }
}

/** A number for a webhook, more than 0 and for practical purposes its own: a bookmark notes numbers. */
const placeOf = (id: WebhookId): number => Number.parseInt(sha256Hex(id).slice(0, 13), 16) + 1

const unchanged = <A>(result: A): Change<A> => ({ result, writes: [], events: [] })

/** As the stream writes it. */
const encodeEvent = Schema.encodeSync(Schema.toCodecJson(Event))

const toOutcome = ({ status }: { readonly status: number }) => ({
  status,
  succeeded: status >= 200 && status < 300
})
