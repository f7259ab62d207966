/**
 * Counts requests by operation, and measures how long each took until its response began. Contract §5, GET /metrics.
 *
 * Labels are words of the contract, never what a caller wrote: an id, a handle or an invented method would make as many
 * series as callers like.
 */
import type { Metrics } from "@souk/core"
import { Clock, Effect, Exit, Metric } from "effect"
import { HttpServerRequest } from "effect/http"
import type { HttpServerResponse } from "effect/http"
import type { Middleware } from "./Middleware.ts"
import type { RouteTable } from "./RouteTable.ts"

/** Makes the middleware. */
export const make = (routes: RouteTable, metrics: Metrics["Service"]): Middleware => {
  const operations = new Map<string, OperationMetrics>()
  const metricsOf = (operation: string, method: string) => {
    const key = `${method} ${operation}`
    const known = operations.get(key) ?? makeOperation(operation, method)
    operations.set(key, known)
    return known
  }
  return (effect) =>
    Effect.flatMap(HttpServerRequest.HttpServerRequest, ({ method, url }) =>
      Clock.clockWith((clock) => {
        const start = clock.currentTimeNanosUnsafe()
        return Effect.onExit(effect, (exit) =>
          Effect.sync(() => {
            const operation = routes.find(method, url)?.operationId ?? "other"
            const { refusals, requests, seconds } = metricsOf(operation, nameOf(method))
            const status = Exit.isSuccess(exit) ? exit.value.status : undefined
            metrics.record(requests[classOf(status)], 1)
            metrics.record(seconds, Number(clock.currentTimeNanosUnsafe() - start) / 1e9)
            if (status === 429) metrics.record(refusals, 1)
          })
        )
      })
    )
}

// -----------------------------------------------------------------------------

const classes = ["1xx", "2xx", "3xx", "4xx", "5xx", "aborted"] as const
type StatusClass = (typeof classes)[number]

/** A request without a response is one whose caller has hung up. */
const classOf = (status: HttpServerResponse.HttpServerResponse["status"] | undefined): StatusClass =>
  classes[status === undefined ? 5 : Math.floor(status / 100) - 1] ?? "5xx"

const methods = new Set(["GET", "HEAD", "POST", "PATCH", "PUT", "DELETE", "OPTIONS"])
const nameOf = (method: string) => (methods.has(method) ? method : "other")

type OperationMetrics = ReturnType<typeof makeOperation>

const makeOperation = (operation: string, method: string) => {
  const requestsThat = (status: StatusClass) =>
    Metric.counter("souk_http_requests_total", {
      description: "Requests that were answered, by operation, method and class of status.",
      attributes: { operation, method, status },
      incremental: true
    })
  return {
    requests: {
      "1xx": requestsThat("1xx"),
      "2xx": requestsThat("2xx"),
      "3xx": requestsThat("3xx"),
      "4xx": requestsThat("4xx"),
      "5xx": requestsThat("5xx"),
      aborted: requestsThat("aborted")
    },
    seconds: Metric.histogram("souk_http_request_duration_seconds", {
      description: "How long a request took until its response began; streams go on after that.",
      attributes: { operation, method },
      boundaries: [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
    }),
    refusals: Metric.counter("souk_rate_limit_refusals_total", {
      description: "Requests that a rate limit refused, by operation.",
      attributes: { operation },
      incremental: true
    })
  }
}
