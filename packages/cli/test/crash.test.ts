/**
 * Kills a market amid writes, again and again, and asks the next one for everything that was acknowledged.
 *
 * `SOUK_CRASH_SEED` repeats the moments of a run; the writes themselves race as they like.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Random, Schema } from "effect"
import { join } from "node:path"
import { agentBody, ask, dataOf, Identified, listingBody, register, send } from "./Caller.ts"
import type { Call } from "./Caller.ts"
import { directory, start } from "./Server.ts"

const rounds = 5
const clients = 16
const seed = process.env["SOUK_CRASH_SEED"] ?? String(Date.now())

/** Something to be made: a call that can be repeated, and where to find what it made. */
interface Order {
  readonly call: Call
  /** A word that nothing else in the market has. */
  readonly word: string
  readonly kind: "agent" | "listing"
}

interface Made extends Order {
  readonly id: string
  /** The reply that told of it. */
  readonly text: string
}

const orderOf = (n: number, key: string): Order => {
  const word = `word${n}x`
  const headers = { "idempotency-key": `order-${n}` }
  return n % 2 === 0
    ? { word, kind: "agent", call: { path: "/api/agents", headers, body: agentBody(word) } }
    : { word, kind: "listing", call: { path: "/api/listings", headers, body: listingBody(word), key } }
}

/** Sends an order; nothing where nobody answered to the end. */
const place = (url: string, order: Order) =>
  send(url, order.call).pipe(
    Effect.flatMap((reply) => {
      assert.strictEqual(reply.status, 201, reply.text)
      return Effect.map(
        order.kind === "agent"
          ? Effect.map(dataOf(reply, { agent: Identified }), ({ agent }) => agent.id)
          : Effect.map(dataOf(reply, { listing: Identified }), ({ listing }) => listing.id),
        (id): Made => ({ ...order, id, text: reply.text })
      )
    }),
    Effect.catchTag("Unanswered", () => Effect.undefined)
  )

const Event = Schema.Struct({ type: Schema.String, subject: Identified })
const eventPage = { events: Schema.Array(Event), nextCursor: Schema.String }

/** Every event of the market, page by page from the earliest. */
const everyEvent = Effect.fnUntraced(function* (url: string) {
  const found: Array<string> = []
  let after = "earliest"
  for (;;) {
    const path = `/api/v1/events?limit=100&after=${after}`
    const { events, nextCursor } = yield* ask(
      url,
      { path, headers: { accept: "application/json" } },
      eventPage
    )
    if (events.length === 0) return found
    found.push(...events.map(({ type, subject }) => `${type} ${subject.id}`))
    after = nextCursor
  }
})

const listingPage = { listings: Schema.Array(Identified), nextCursor: Schema.NullOr(Schema.String) }

/** Every active listing, page by page. */
const everyListing = Effect.fnUntraced(function* (url: string) {
  const found: Array<string> = []
  let next: string | null = ""
  while (next !== null) {
    const path: string = `/api/v1/listings?limit=100${next === "" ? "" : `&cursor=${next}`}`
    const page: Schema.Struct<typeof listingPage>["Type"] = yield* ask(url, { path }, listingPage)
    found.push(...page.listings.map(({ id }) => id))
    next = page.nextCursor
  }
  return found
})

const eventOf = ({ kind, id }: Made) => `${kind === "agent" ? "agent.registered" : "listing.published"} ${id}`

/** Can be read and found, and is made no second time by who asks again. */
const isThere = (url: string) =>
  Effect.fnUntraced(function* (made: Made) {
    const { id, kind, word } = made
    const read = yield* send(url, { path: `/api/v1/${kind}s/${id}` })
    assert.strictEqual(read.status, 200)
    assert.include(read.text, word)
    const { results } = yield* ask(
      url,
      { path: `/api/v1/search?q=${word}` },
      { results: Schema.Array(Schema.Struct({ item: Identified })) }
    )
    assert.deepStrictEqual(
      results.map(({ item }) => item.id),
      [id]
    )
    const again = yield* send(url, made.call)
    assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    assert.strictEqual(again.text, made.text)
  })

describe("a crash", () => {
  it.live(
    `amid writes loses none that was acknowledged (seed ${seed})`,
    () =>
      Effect.gen(function* () {
        const settings = {
          SOUK_DATABASE_URL: `sqlite:${join(yield* directory, "souk.db")}`,
          SOUK_RATE_LIMITS: "off"
        }
        let server = yield* start(settings)
        const seller = yield* register(server.url, "seller")
        const made: Array<Made> = []
        let orders = 0
        for (let round = 0; round < rounds; round++) {
          const open: Array<Order> = []
          const fresh: Array<Made> = []
          const killAt = yield* Random.nextIntBetween(10, 100)
          const later = yield* Random.nextBetween(0, 5)
          const { url, signal } = server
          // Each client places one order after the other, until nobody answers.
          const client = Effect.gen(function* () {
            for (;;) {
              const order = orderOf(orders++, seller.apiKey)
              const answered = yield* place(url, order)
              if (answered === undefined) return open.push(order)
              fresh.push(answered)
              // A moment later, since at an answer the market is at the same step each time.
              if (fresh.length === killAt) yield* Effect.andThen(Effect.sleep(later), signal("SIGKILL"))
            }
          })
          yield* Effect.all(
            Array.from({ length: clients }, () => client),
            { concurrency: "unbounded" }
          )
          assert.strictEqual((yield* server.ended).signal, "SIGKILL")
          assert.isAtLeast(fresh.length, killAt)
          assert.strictEqual(open.length, clients)

          server = yield* start(settings)
          for (const order of open)
            fresh.push((yield* place(server.url, order)) ?? assert.fail("not answered"))
          yield* Effect.forEach(fresh, isThere(server.url), { concurrency: clients })
          made.push(...fresh)
          assert.sameMembers(yield* everyEvent(server.url), [
            `agent.registered ${seller.agent.id}`,
            ...made.map(eventOf)
          ])
          assert.sameMembers(
            yield* everyListing(server.url),
            made.filter(({ kind }) => kind === "listing").map(({ id }) => id)
          )
        }
        yield* Effect.forEach(made, isThere(server.url), { concurrency: clients })
      }).pipe(Random.withSeed(seed)),
    60_000
  )
})
