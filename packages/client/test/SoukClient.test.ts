/** The client for Effect, over the same sockets. */
import { assert, describe, it } from "@effect/vitest"
import { ListingId } from "@souk/core"
import { Clock, Effect, Redacted, Stream, Tracer } from "effect"
import { FetchHttpClient } from "effect/http"
import { TestClock } from "effect/testing"
import { inspect } from "node:util"
import { SoukClient } from "../src/effect.ts"
import { before, refuse, resetting, serve } from "./serve.ts"
import type { Passing } from "./serve.ts"

const serving = Effect.acquireRelease(
  Effect.promise(() => serve()),
  (market) => Effect.promise(() => market[Symbol.asyncDispose]())
)

const standing = (target: string, handle: (passing: Passing) => void) =>
  Effect.acquireRelease(
    Effect.promise(() => before(target, handle)),
    (front) => Effect.promise(() => front[Symbol.asyncDispose]())
  )

const clientOf = (baseUrl: string, apiKey?: string) =>
  SoukClient.make({ baseUrl, apiKey: apiKey === undefined ? undefined : Redacted.make(apiKey) }).pipe(
    Effect.provide(FetchHttpClient.layer)
  )

const listing = { title: "Translate legal texts", pricing: { model: "quote" } } as const

/** Makes readers come back at once: both texts are of the same length. */
const soon = (piece: string) => piece.replace("retry: 3000", "retry: 0005")

describe("the Effect client", () => {
  it.live("calls the contract, and fails with its tagged errors", () =>
    Effect.gen(function* () {
      const market = yield* serving
      const { apiKey, agent } = yield* Effect.promise(() => market.agent("seller"))
      const souk = yield* clientOf(market.url, apiKey)
      const published = yield* souk.listings.publish({ query: {}, headers: {}, payload: listing })
      assert.strictEqual(published.listing.agentId, agent.id)
      const missing = ListingId.make("lst_01jd8wq0z7f3mbk5r2v6txn4ce")
      const answer = yield* souk.listings
        .get({ params: { id: missing }, query: {}, headers: {} })
        .pipe(Effect.catchTag("NotFound", ({ code }) => Effect.succeed(code)))
      assert.strictEqual(answer, "not_found")
    })
  )

  it.live("reads a list page after page", () =>
    Effect.gen(function* () {
      const market = yield* serving
      const { souk: writer } = yield* Effect.promise(() => market.agent("seller"))
      for (let count = 0; count < 5; count++) yield* Effect.promise(() => writer.listings.publish(listing))
      const souk = yield* clientOf(market.url)
      const pages = yield* SoukClient.pages((next) =>
        souk.listings.list({ query: { limit: 2, ...next } })
      ).pipe(Stream.runCollect)
      assert.deepStrictEqual(
        pages.map(({ listings }) => listings.length),
        [2, 2, 1]
      )
    })
  )

  it.live("tries a write again with the same Idempotency-Key, also when its reply was lost", () =>
    Effect.gen(function* () {
      const market = yield* serving
      const front = yield* standing(market.url, ({ outgoing, count, pass }) => {
        if (count === 0) pass(() => [""])
        else if (count === 1) refuse(outgoing, 503, { code: "unavailable", recovery: "transient" })
        else pass()
      })
      const { apiKey } = yield* Effect.promise(() => market.agent("seller"))
      const souk = yield* clientOf(front.url, apiKey)
      const { listing: made } = yield* souk.listings.publish({ query: {}, headers: {}, payload: listing })
      const keys = new Set(front.seen.map(({ headers }) => headers["idempotency-key"]))
      assert.strictEqual(front.seen.length, 3)
      assert.strictEqual(keys.size, 1)
      const all = yield* souk.listings.list({ query: {} })
      assert.deepStrictEqual(
        all.listings.map(({ id }) => id),
        [made.id]
      )
    })
  )

  it.live("takes its key nowhere else", () =>
    Effect.gen(function* () {
      const market = yield* serving
      const elsewhere = yield* standing(market.url, ({ pass }) => pass())
      const front = yield* standing(market.url, ({ outgoing }) =>
        outgoing.writeHead(307, { location: elsewhere.url }).end()
      )
      const souk = yield* clientOf(front.url, "agent_secret")
      yield* Effect.flip(souk.listings.list({ query: {} }))
      assert.strictEqual(elsewhere.seen.length, 0)
    })
  )

  it.live("shows its key to no log and no trace", () =>
    Effect.gen(function* () {
      const front = yield* standing("", ({ outgoing, count }) => {
        if (count === 0) outgoing.destroy()
        else outgoing.writeHead(404, { "content-type": "text/html" }).end("<h1>Not here</h1>")
      })
      const spans: Array<Tracer.Span> = []
      const tracer = Tracer.make({
        span: (options) => {
          const span = new Tracer.NativeSpan(options)
          spans.push(span)
          return span
        }
      })
      const souk = yield* SoukClient.make({
        baseUrl: front.url,
        apiKey: Redacted.make("agent_secret"),
        maxAttempts: 1
      }).pipe(Effect.provide(FetchHttpClient.layer))
      for (const _attempt of [1, 2]) {
        const error = yield* Effect.flip(
          Effect.withTracer(souk.agents.me({ query: {}, headers: {} }), tracer)
        )
        if (error._tag !== "HttpClientError") return assert.fail(error._tag)
        for (const shown of [error, error.request, error.response]) {
          assert.notInclude(inspect(shown, { depth: 20 }), "agent_secret")
          assert.notInclude(JSON.stringify(shown) ?? "", "agent_secret")
        }
      }
      assert.lengthOf(spans, 2)
      assert.notInclude(
        inspect(
          spans.map(({ attributes }) => attributes),
          { depth: 5 }
        ),
        "agent_secret"
      )
      assert.include(String(front.seen[0]?.headers["x-agent-key"]), "agent_secret")
    })
  )

  it.live("follows the events over every cut: all of them, once, in order", () =>
    Effect.gen(function* () {
      const market = yield* serving
      let connections = 0
      const front = yield* standing(market.url, ({ pass }) => {
        let left = 150 + ((connections++ * 97) % 700)
        pass((piece) => {
          const part = soon(piece).slice(0, left)
          left -= part.length
          return left > 0 ? part : [part]
        })
      })
      const { souk: writer } = yield* Effect.promise(() => market.agent("seller"))
      const expected: Array<string> = []
      for (let count = 0; count < 25; count++) {
        const { listing: made } = yield* Effect.promise(() => writer.listings.publish(listing))
        expected.push(made.id)
      }
      const souk = yield* clientOf(front.url)
      const followed = yield* souk
        .follow({ types: ["listing.published"], after: "earliest" })
        .pipe(Stream.take(25), Stream.runCollect)
      assert.deepStrictEqual(
        followed.map(({ event }) => event.subject.id),
        expected
      )
      assert.isAbove(connections, 5)
      const half = followed[11]?.cursor ?? ""
      const rest = yield* souk
        .follow({ types: ["listing.published"], after: half })
        .pipe(Stream.take(13), Stream.runCollect)
      assert.deepStrictEqual(
        rest.map(({ event }) => event.subject.id),
        expected.slice(12)
      )
    })
  )

  it.effect("comes back when a connection is silent for 45 seconds", () =>
    Effect.gen(function* () {
      const front = yield* standing("", ({ outgoing }) => {
        outgoing.writeHead(200, { "content-type": "text/event-stream" })
        outgoing.write(`retry: 5\nid: here\nevent: stream.ready\ndata: {"cursor":"here"}\n\n`)
      })
      const souk = yield* clientOf(front.url)
      yield* Effect.forkScoped(Stream.runDrain(souk.follow()))
      const started = yield* Clock.currentTimeMillis
      while (front.seen.length < 2) {
        yield* Effect.promise(() => new Promise((done) => setTimeout(done, 5)))
        yield* TestClock.adjust("1 second")
      }
      assert.isAtLeast((yield* Clock.currentTimeMillis) - started, 45_000)
      assert.strictEqual(front.seen[1]?.headers["last-event-id"], "here")
    })
  )

  it.live("tells that events were missed, also when the connection breaks before it is said", () =>
    Effect.gen(function* () {
      const front = yield* Effect.acquireRelease(Effect.promise(resetting), (front) =>
        Effect.promise(() => front[Symbol.asyncDispose]())
      )
      const souk = yield* clientOf(front.url)
      const error = yield* Effect.flip(Stream.runDrain(souk.follow({ after: "old" })))
      assert.strictEqual(error._tag === "StreamReset" ? error.cursor : error._tag, "new")
      const resets: Array<string> = []
      const followed = yield* souk
        .follow({ after: "old" }, { onReset: (cursor) => Effect.sync(() => resets.push(cursor)) })
        .pipe(Stream.take(1), Stream.runCollect)
      assert.deepStrictEqual(
        followed.map(({ cursor, event }) => [cursor, event.type]),
        [["newest", "rfq.closed"]]
      )
      assert.deepStrictEqual(resets, ["new"])
    })
  )
})
