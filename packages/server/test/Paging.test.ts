import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { at, inHours, listAt, open, textAt, verdict } from "./market.ts"
import type { Sending, TestMarket } from "./market.ts"
import {
  agreed,
  callForQuotes,
  listing,
  openRequest,
  openRoom,
  publish,
  quote,
  request,
  rfq,
  submit
} from "./trade.ts"

/** Walks a list from its first page to its last, and does something after the first two pages. */
const walk = Effect.fnUntraced(function* (
  market: TestMarket,
  path: string,
  name: string,
  options: Sending & { readonly limit: number; readonly between?: Effect.Effect<unknown> }
) {
  const { limit, between = Effect.void, ...sending } = options
  const ids: Array<string> = []
  const sizes: Array<number> = []
  let cursor: string | null = null
  do {
    const at_ = cursor === null ? "" : `&cursor=${encodeURIComponent(cursor)}`
    const join = path.includes("?") ? "&" : "?"
    const data: unknown = yield* market.ask(`GET ${path}${join}limit=${limit}${at_}`, sending)
    const items = listAt(data, name)
    ids.push(...items.map((item) => textAt(at(item, "item") ?? at(item, "subject") ?? item, "id")))
    sizes.push(items.length)
    const next: unknown = at(data, "nextCursor")
    cursor = typeof next === "string" ? next : null
    if (sizes.length < 3) yield* between
  } while (cursor !== null)
  return { ids, sizes }
})

const times = <A, E>(count: number, make: (n: number) => Effect.Effect<A, E>) =>
  Effect.forEach(
    Array.from({ length: count }, (_, n) => n),
    make
  )

const scene = Effect.gen(function* () {
  const market = yield* open()
  const [buyer, seller] = [yield* market.register("buyer"), yield* market.register("seller")]
  return { market, buyer, seller }
})

describe("a list", () => {
  it.effect("gives each item once, newest first, whatever comes to be on the way", () =>
    Effect.gen(function* () {
      const { market, buyer, seller } = yield* scene
      const rfqId = yield* callForQuotes(market, buyer)
      const made = {
        listings: yield* times(7, (n) => publish(market, seller, listing(`Translate ${n}`))),
        requests: yield* times(7, (n) => openRequest(market, buyer, request(`Translate ${n}`))),
        rfqs: [rfqId, ...(yield* times(6, (n) => callForQuotes(market, buyer, rfq(`Translate ${n}`))))],
        dealRooms: yield* times(7, () => openRoom(market, buyer, { counterparty: seller.id, role: "buyer" })),
        agents: [
          buyer.id,
          seller.id,
          ...(yield* times(5, (n) => market.register(`agent${n}`))).map(({ id }) => id)
        ]
      }
      const quotes = yield* Effect.forEach(made.rfqs, (id) => submit(market, seller, id))
      let more = 0
      const others = Effect.gen(function* () {
        const n = ++more
        const agent = yield* market.register(`late${n}`)
        yield* publish(market, seller, listing(`Translate late ${n}`))
        yield* openRequest(market, buyer, request(`Translate late ${n}`))
        yield* submit(market, agent, rfqId)
        const late = yield* callForQuotes(market, buyer, rfq(`Translate late ${n}`))
        yield* submit(market, seller, late)
        yield* openRoom(market, agent, { counterparty: seller.id, role: "buyer" })
      })
      const lists: ReadonlyArray<
        readonly [path: string, name: string, expected: ReadonlyArray<string>, key?: string]
      > = [
        ["/api/v1/agents", "agents", made.agents],
        ["/api/v1/listings", "listings", made.listings],
        ["/api/v1/listings?tag=legal&pricingModel=per_unit", "listings", made.listings],
        ["/api/v1/listings?q=translate", "listings", made.listings],
        ["/api/v1/listings?agent=me", "listings", made.listings, seller.key],
        ["/api/v1/listings?agent=me&q=translate", "listings", made.listings, seller.key],
        ["/api/v1/requests?tag=legal&maxPrice=500", "requests", made.requests],
        ["/api/v1/requests?q=translate", "requests", made.requests],
        ["/api/v1/requests?agent=me", "requests", made.requests, buyer.key],
        ["/api/v1/rfqs", "rfqs", made.rfqs],
        ["/api/v1/rfqs?q=translate", "rfqs", made.rfqs],
        ["/api/v1/rfqs?agent=me", "rfqs", made.rfqs, buyer.key],
        ["/api/v1/me/quotes", "quotes", quotes, seller.key],
        ["/api/v1/deal-rooms", "dealRooms", made.dealRooms, seller.key]
      ]
      for (const [path, name, expected, key] of lists) {
        const before = new Set((yield* walk(market, path, name, { key, limit: 100 })).ids)
        for (const id of expected) assert.isTrue(before.has(id), `${path} ${id}`)
        const { ids, sizes } = yield* walk(market, path, name, { key, limit: 3, between: others })
        assert.deepStrictEqual(ids, [...before].toSorted().toReversed(), path)
        assert.isTrue(
          sizes.slice(0, -1).every((size) => size === 3),
          path
        )
      }
      const forBuyer = yield* walk(market, `/api/v1/rfqs/${rfqId}/quotes`, "quotes", {
        key: buyer.key,
        limit: 2,
        between: others
      })
      assert.strictEqual(new Set(forBuyer.ids).size, forBuyer.ids.length)
      const forSeller = yield* walk(market, `/api/v1/rfqs/${rfqId}/quotes`, "quotes", {
        key: seller.key,
        limit: 2
      })
      assert.deepStrictEqual(forSeller.ids, [quotes[0]])
    })
  )

  it.effect("of matches gives each once, also when others are found on the way", () =>
    Effect.gen(function* () {
      const { market, buyer, seller } = yield* scene
      const requestId = yield* openRequest(market, buyer)
      yield* times(7, () => publish(market, seller))
      yield* market.settle
      const path = `/api/v1/matches?demand=${requestId}`
      const before = yield* walk(market, path, "matches", { key: buyer.key, limit: 100 })
      assert.strictEqual(before.ids.length, 7)
      const between = Effect.orDie(Effect.andThen(publish(market, seller), market.settle))
      const { ids } = yield* walk(market, path, "matches", { key: buyer.key, limit: 2, between })
      assert.strictEqual(new Set(ids).size, ids.length)
      assert.deepStrictEqual(ids, ids.toSorted().toReversed())
      assert.includeMembers([...ids], [...before.ids])
    })
  )

  it.effect("of a transcript begins with its first entry, and has no gap", () =>
    Effect.gen(function* () {
      const { market, buyer, seller } = yield* scene
      const roomId = yield* agreed(market, buyer, seller)
      const say = market.ask(`POST /api/deal-rooms/${roomId}/messages`, {
        key: buyer.key,
        body: { text: "?" }
      })
      yield* times(5, () => say)
      let said = 0
      const between = Effect.suspend(() => (said++ < 3 ? say : Effect.void))
      const path = `/api/v1/deal-rooms/${roomId}/entries`
      const { ids } = yield* walk(market, path, "entries", { key: seller.key, limit: 2, between })
      const all = yield* market.ask(`GET ${path}?limit=100`, { key: seller.key })
      assert.deepStrictEqual(
        ids,
        listAt(all, "entries").map((entry) => textAt(entry, "id"))
      )
      assert.deepStrictEqual(
        listAt(all, "entries").map((entry) => at(entry, "seq")),
        ids.map((_, index) => index + 1)
      )
    })
  )

  it.effect("of events goes on from its cursor, also from its present end", () =>
    Effect.gen(function* () {
      const { market, buyer } = yield* scene
      const headers = { accept: "application/json" }
      const page = (after: string) =>
        market.ask(`GET /api/v1/events?limit=2&after=${after}`, { key: buyer.key, headers })
      const heard: Array<string> = []
      let cursor = "earliest"
      for (const n of [1, 2, 3, 4, 5, 6]) {
        const data = yield* page(cursor)
        heard.push(...listAt(data, "events").map((event) => textAt(event, "type")))
        cursor = textAt(data, "nextCursor")
        if (n % 2 === 0) yield* publish(market, buyer)
      }
      assert.deepStrictEqual(heard, [
        "agent.registered",
        "key.created",
        "agent.registered",
        "listing.published",
        "listing.published"
      ])
    })
  )

  it.effect("of what waits gives each item once, soonest deadline first", () =>
    Effect.gen(function* () {
      const { market, buyer, seller } = yield* scene
      const sealed = yield* times(4, (n) =>
        callForQuotes(market, buyer, {
          ...rfq(`Translate ${n}`),
          visibility: "invited",
          invitees: [seller.id],
          quoteDeadline: inHours(20 - n)
        })
      )
      const room = yield* agreed(market, buyer, seller)
      const path = "/api/v1/me/inbox"
      const { ids, sizes } = yield* walk(market, path, "items", { key: seller.key, limit: 2 })
      assert.deepStrictEqual(ids, [...sealed.toReversed(), room])
      assert.deepStrictEqual(sizes, [2, 2, 1])
      const own = textAt(yield* market.ask(`GET ${path}?limit=1`, { key: seller.key }), "nextCursor")
      const others = yield* market.call(`GET ${path}?cursor=${own}`, { key: buyer.key })
      assert.strictEqual(verdict(others), "400 invalid_cursor")
      assert.strictEqual(verdict(yield* market.call(`GET ${path}`)), "401 key_missing")
    })
  )

  it.effect("of a search gives each item once", () =>
    Effect.gen(function* () {
      const { market, buyer, seller } = yield* scene
      yield* times(9, (n) => publish(market, seller, listing(`Translate ${"legal ".repeat(n)}`)))
      yield* callForQuotes(market, buyer)
      const all = yield* walk(market, "/api/v1/search?q=translate%20legal", "results", { limit: 100 })
      const { ids } = yield* walk(market, "/api/v1/search?q=translate%20legal", "results", { limit: 2 })
      assert.isAtLeast(ids.length, 10)
      assert.deepStrictEqual(ids, all.ids)
    })
  )

  it.effect("has 20 items where nothing is said, at most 100, and a null cursor at its end", () =>
    Effect.gen(function* () {
      const { market, seller } = yield* scene
      yield* times(101, () => publish(market, seller))
      const first = yield* market.ask("GET /api/v1/listings")
      assert.strictEqual(listAt(first, "listings").length, 20)
      const { sizes } = yield* walk(market, "/api/v1/listings", "listings", { limit: 100 })
      assert.deepStrictEqual(sizes, [100, 1])
      const exact = yield* market.ask(`GET /api/v1/rfqs?limit=1`)
      assert.strictEqual(at(exact, "nextCursor"), null)
      yield* submit(market, seller, yield* callForQuotes(market, yield* market.register("other")), quote())
      const one = yield* market.ask(`GET /api/v1/rfqs?limit=1`)
      assert.strictEqual(at(one, "nextCursor"), null)
    })
  )
})

describe("a cursor", () => {
  it.effect("is good for its own list, filters and reader alone", () =>
    Effect.gen(function* () {
      const { market, buyer, seller } = yield* scene
      yield* times(3, () => publish(market, seller))
      yield* times(3, () => callForQuotes(market, buyer))
      const cursor = textAt(yield* market.ask("GET /api/v1/listings?limit=1&tag=legal"), "nextCursor")
      const use = (path: string, key?: string) =>
        Effect.map(market.call(`GET ${path}&cursor=${encodeURIComponent(cursor)}`, { key }), verdict)
      assert.strictEqual(yield* use("/api/v1/listings?tag=legal"), "200")
      assert.strictEqual(yield* use("/api/v1/listings?tag=legal&limit=50"), "200")
      for (const path of [
        "/api/v1/listings?limit=1",
        "/api/v1/listings?tag=translation",
        "/api/v1/listings?tag=legal&category=translation",
        "/api/v1/rfqs?tag=legal",
        "/api/v1/search?tag=legal",
        "/api/v1/agents?limit=1"
      ])
        assert.strictEqual(yield* use(path), "400 invalid_cursor", path)
      assert.strictEqual(yield* use("/api/v1/listings?tag=legal", buyer.key), "400 invalid_cursor")
      for (const broken of [
        cursor.slice(1),
        `${cursor}x`,
        cursor.toUpperCase(),
        "",
        "%00",
        "a".repeat(512)
      ]) {
        const reply = yield* market.call(`GET /api/v1/listings?tag=legal&cursor=${broken}`)
        assert.include(["400 invalid_cursor", "200"], verdict(reply), broken)
      }
    })
  )
})
