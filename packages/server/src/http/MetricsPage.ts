/** `GET /metrics`: the figures of this process, in the text format of Prometheus. Contract §5, decision 0032. */
import { Canonical, KeyInvalid, KeyMissing, Metrics, Settling, Store } from "@souk/core"
import type { WorkKind } from "@souk/core"
import { Context, DateTime, Duration, Effect, Layer, Metric, Redacted } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import { PrometheusMetrics } from "effect/observability"
import { RateLimit } from "./RateLimit.ts"
import * as Refusal from "./Refusal.ts"

/** Who may read the figures: everybody, nobody, or who sends `Authorization: Bearer` with a token of the host's. */
export type MetricsAccess = "open" | "off" | { readonly bearer: string | Redacted.Redacted }

/** Serves the page, unless it is off. */
export const layer = (access: MetricsAccess = "open") =>
  access === "off"
    ? Layer.empty
    : HttpRouter.use((router) =>
        Effect.flatMap(page(access), (answer) => router.add("GET", "/metrics", answer))
      )

// -----------------------------------------------------------------------------

const page = Effect.fnUntraced(function* (access: Exclude<MetricsAccess, "off">) {
  const { registry } = yield* Metrics
  const readGauges = yield* gauges
  const admit = access === "open" ? Effect.void : yield* admitting(Redacted.make(tokenOf(access.bearer)))
  const answer = Effect.gen(function* () {
    yield* admit
    yield* readGauges
    const text = PrometheusMetrics.formatUnsafe(Context.make(Metric.MetricRegistry, registry))
    return HttpServerResponse.text(text, { contentType: "text/plain; version=0.0.4; charset=utf-8" })
  })
  return answer.pipe(
    Effect.catchTag(["KeyMissing", "KeyInvalid"], (refused) =>
      Effect.map(Refusal.reply(refused), HttpServerResponse.setHeader("www-authenticate", "Bearer"))
    ),
    Effect.catchTag("RateLimited", Refusal.reply)
  )
})

const tokenOf = (token: string | Redacted.Redacted): string =>
  typeof token === "string" ? token : Redacted.value(token)

/** The page is not counted by the rate limits; guesses at its token are. */
const admitting = (token: Redacted.Redacted) =>
  Effect.map(RateLimit, (rateLimit) => {
    const expected = Canonical.sha256Hex(Redacted.value(token))
    const refuse = (refusal: KeyMissing | KeyInvalid) =>
      Effect.andThen(rateLimit.checkAddress("default"), Effect.fail(refusal))
    return Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ headers }) => {
      const [, given] = /^Bearer +(\S+)$/iu.exec(headers["authorization"] ?? "") ?? []
      if (given === undefined)
        return refuse(
          new KeyMissing({ message: "This page needs a token: send it as Authorization: Bearer." })
        )
      // Of digests a comparison that stops early tells nothing about the token.
      return Canonical.sha256Hex(given) === expected
        ? Effect.void
        : refuse(new KeyInvalid({ message: "This is not the token of this page." }))
    })
  })

// -----------------------------------------------------------------------------
// What nobody counts: it is read off the store when somebody looks
// -----------------------------------------------------------------------------

const storeUp = Metric.gauge("souk_store_up", {
  description: "1 where the store answers, else 0; then the figures that are read off it are those of before."
})
const overdueEntities = Metric.gauge("souk_overdue_entities", {
  description: "Entities whose deadline has come and is not written down yet."
})
const sweepLag = Metric.gauge("souk_sweep_lag_seconds", {
  description: "For how long the first of the overdue entities has waited."
})
const feedPosition = Metric.gauge("souk_feed_position", {
  description: "The position of the newest event of the market."
})

const tasksOf = (kind: WorkKind) => ({
  kind,
  due: Metric.gauge("souk_tasks_due", {
    description:
      "What the market owes the world outside and could do now, by kind; what somebody is at is not counted.",
    attributes: { kind }
  }),
  lag: Metric.gauge("souk_task_lag_seconds", {
    description: "For how long the first of these tasks has waited.",
    attributes: { kind }
  })
})
const taskGauges = [tasksOf("delivery"), tasksOf("settlement")]

const matcherLag = Metric.gauge("souk_matcher_lag", {
  description:
    "How far the newest event is ahead of the matcher's bookmark, which follows every 1,000 at least."
})

const gauges = Effect.gen(function* () {
  const { record } = yield* Metrics
  const store = yield* Store
  const settling = yield* Settling
  const tasks = Effect.gen(function* () {
    const now = yield* DateTime.now
    return yield* Effect.forEach(taskGauges, ({ due, kind, lag }) =>
      Effect.map(store.tasks.overdue(kind, now), ({ count, since = now }) => () => {
        record(due, count)
        record(lag, Duration.toSeconds(DateTime.distance(since, now)))
      })
    )
  })
  const read = [settling.backlog, store.events.latest, store.bookmarks.byId("matcher"), tasks] as const
  return Effect.all(read).pipe(
    Effect.match({
      onFailure: () => record(storeUp, 0),
      onSuccess: ([{ lagSeconds, overdue }, latest, matcher, told]) => {
        record(storeUp, 1)
        record(overdueEntities, overdue)
        record(sweepLag, lagSeconds)
        record(feedPosition, latest)
        record(matcherLag, Math.max(0, latest - (matcher?.position ?? 0)))
        for (const tell of told) tell()
      }
    })
  )
})
