import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { at, inHours, listAt, open, textAt, verdict } from "./market.ts"
import type { TestAgent, TestMarket } from "./market.ts"
import { agreed, callForQuotes, listing, offered, publish, rfq, submit } from "./trade.ts"

interface Frame {
  readonly id: string | undefined
  readonly event: string | undefined
  readonly data: unknown
}

const toFrame = (text: string): Frame => {
  const fields = new Map(
    text.split("\n").map((line): [string, string] => {
      const colon = line.indexOf(": ")
      return [line.slice(0, colon), line.slice(colon + 2)]
    })
  )
  return { id: fields.get("id"), event: fields.get("event"), data: JSON.parse(fields.get("data") ?? "null") }
}

/** Opens a stream, and takes frame after frame from it. */
const follow = Effect.fnUntraced(function* (
  market: TestMarket,
  query: string,
  reader?: TestAgent,
  headers: Record<string, string> = {}
) {
  const response = yield* market.stream(`GET /api/v1/events${query}`, { key: reader?.key, headers })
  assert.strictEqual(response.status, 200)
  const chunks = (response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream()).getReader()
  const leave = () => chunks.cancel()
  yield* Effect.addFinalizer(() => Effect.promise(leave))
  let read = ""
  /** The next frame; undefined at the end. */
  const next = Effect.promise(async (): Promise<Frame | undefined> => {
    for (;;) {
      const end = read.indexOf("\n\n")
      if (end >= 0) {
        const frame = read.slice(0, end)
        read = read.slice(end + 2)
        if (!frame.startsWith(":")) return toFrame(frame)
        continue
      }
      const { value, done } = await chunks.read()
      if (done) return undefined
      read += value
    }
  })
  const take = Effect.fnUntraced(function* (count: number) {
    const frames: Array<Frame> = []
    while (frames.length < count) {
      const frame = yield* next
      if (frame === undefined) break
      frames.push(frame)
    }
    return frames
  })
  return { response, next, take, leave }
})

const types = (frames: ReadonlyArray<Frame>) => frames.map(({ event }) => event)

const scene = Effect.gen(function* () {
  const market = yield* open()
  const [buyer, seller] = [yield* market.register("buyer"), yield* market.register("seller")]
  return { market, buyer, seller }
})

describe("the stream of events", () => {
  it.effect("begins with its headers, retry and the present cursor", () =>
    Effect.gen(function* () {
      const { market } = yield* scene
      const { response, next } = yield* follow(market, "")
      assert.strictEqual(response.headers.get("content-type"), "text/event-stream")
      assert.strictEqual(response.headers.get("cache-control"), "no-cache, no-transform")
      assert.strictEqual(response.headers.get("x-accel-buffering"), "no")
      assert.isNotNull(response.headers.get("request-id"))
      const ready = yield* next
      assert.strictEqual(ready?.event, "stream.ready")
      assert.strictEqual(at(ready?.data, "cursor"), ready?.id)
    })
  )

  it.effect("tells what happens, in order, as soon as the writer has his reply", () =>
    Effect.gen(function* () {
      const { market, buyer, seller } = yield* scene
      const { take } = yield* follow(market, "")
      const listingId = yield* publish(market, seller)
      const rfqId = yield* callForQuotes(market, buyer)
      yield* market.ask(`POST /api/listings/${listingId}/pause`, { key: seller.key })
      const frames = yield* take(4)
      assert.deepStrictEqual(types(frames), [
        "stream.ready",
        "listing.published",
        "rfq.opened",
        "listing.paused"
      ])
      const [, published, opened] = frames.map(({ data }) => data)
      assert.deepStrictEqual(at(published, "subject"), { kind: "listing", id: listingId, version: 1 })
      assert.strictEqual(at(published, "actorId"), seller.id)
      assert.strictEqual(at(published, "at"), inHours(0))
      assert.strictEqual(at(opened, "subject", "id"), rfqId)
      assert.match(textAt(opened, "id"), /^evt_/u)
    })
  )

  it.effect("resumes behind any cursor, by Last-Event-ID or after: nothing lost, nothing twice", () =>
    Effect.gen(function* () {
      const { market, seller } = yield* scene
      const whole = yield* follow(market, "?after=earliest", seller)
      for (const n of [1, 2, 3, 4]) yield* publish(market, seller, listing(`Listing ${n}`))
      const all = (yield* whole.take(1 + 3 + 4)).slice(1)
      assert.deepStrictEqual(types(all), [
        "agent.registered",
        "agent.registered",
        "key.created",
        ...Array.from({ length: 4 }, () => "listing.published")
      ])
      for (const [index, { id = "" }] of all.entries()) {
        for (const [query, headers] of [
          [`?after=${id}`, {}],
          ["", { "last-event-id": id }],
          ["?after=earliest", { "last-event-id": id }]
        ] as const) {
          const { take } = yield* follow(market, query, seller, headers)
          assert.deepStrictEqual((yield* take(all.length - index)).slice(1), all.slice(index + 1), id)
        }
      }
      const late = yield* follow(market, `?after=${all[4]?.id}`, seller)
      yield* publish(market, seller, listing("Live again"))
      assert.deepStrictEqual(types(yield* late.take(4)), [
        "stream.ready",
        ...Array.from({ length: 3 }, () => "listing.published")
      ])
    })
  )

  it.effect("resumes from stream.ready when the connection was lost before the first event", () =>
    Effect.gen(function* () {
      const { market, seller } = yield* scene
      const ready = yield* (yield* follow(market, "")).next
      yield* publish(market, seller)
      const again = yield* follow(market, "", undefined, { "last-event-id": ready?.id ?? "" })
      assert.deepStrictEqual(types(yield* again.take(2)), ["stream.ready", "listing.published"])
    })
  )

  it.effect("tells many readers the same in the same order, while many write at once", () =>
    Effect.gen(function* () {
      const { market, seller } = yield* scene
      const readers = [
        yield* follow(market, ""),
        yield* follow(market, "?after=earliest"),
        yield* follow(market, "")
      ]
      yield* Effect.all(
        Array.from({ length: 30 }, (_, n) => publish(market, seller, listing(`Listing ${n}`))),
        { concurrency: "unbounded" }
      )
      const heard = yield* Effect.forEach(readers, ({ take }, index) => take(index === 1 ? 33 : 31))
      const ids = heard.map((frames) => frames.slice(-30).map(({ id }) => id))
      assert.strictEqual(new Set(ids[0]).size, 30)
      assert.deepStrictEqual(ids[1], ids[0])
      assert.deepStrictEqual(ids[2], ids[0])
    })
  )

  it.effect("is narrowed by types, subject and mine", () =>
    Effect.gen(function* () {
      const { market, buyer, seller } = yield* scene
      const other = yield* market.register("other")
      const listingId = yield* publish(market, seller)
      const rfqId = yield* callForQuotes(market, buyer)
      yield* submit(market, seller, rfqId)
      yield* market.ask(`POST /api/rfqs/${rfqId}/close`, { key: buyer.key })
      yield* publish(market, other)
      const heard = Effect.fnUntraced(function* (query: string, reader: TestAgent) {
        const stream = yield* follow(market, `?after=earliest&${query}`, reader)
        yield* market.ask(`POST /api/listings/${listingId}/pause`, { key: seller.key })
        const page = yield* market.ask(`GET /api/v1/events?after=earliest&limit=100&${query}`, {
          key: reader.key,
          headers: { accept: "application/json" }
        })
        yield* market.ask(`POST /api/listings/${listingId}/activate`, { key: seller.key })
        const events = listAt(page, "events")
        const frames = (yield* stream.take(1 + events.length)).slice(1)
        assert.deepStrictEqual(
          frames.map(({ data }) => data),
          events,
          query
        )
        return types(frames)
      })
      assert.deepStrictEqual(yield* heard("types=rfq.*", buyer), ["rfq.opened", "rfq.closed"])
      assert.deepStrictEqual(yield* heard("types=rfq.closed,quote.submitted", buyer), [
        "quote.submitted",
        "rfq.closed"
      ])
      assert.deepStrictEqual(yield* heard("types=quote.*", other), [])
      assert.deepStrictEqual(yield* heard(`subject=${rfqId}`, other), ["rfq.opened", "rfq.closed"])
      assert.deepStrictEqual(yield* heard("mine=true", buyer), [
        "agent.registered",
        "key.created",
        "rfq.opened",
        "quote.submitted",
        "rfq.closed"
      ])
      assert.deepStrictEqual(
        yield* heard(`mine=true&types=agent.*,listing.*&subject=${listingId}`, buyer),
        []
      )
    })
  )

  it.effect("tells private things to their parties alone", () =>
    Effect.gen(function* () {
      const { market, buyer, seller } = yield* scene
      const stranger = yield* market.register("stranger")
      const open_ = yield* Effect.forEach([buyer, seller, stranger, undefined], (reader) =>
        follow(market, "?types=quote.*,deal_room.*,key.*,rfq.*,listing.paused", reader)
      )
      const invited = { ...rfq(), visibility: "invited", invitees: [seller.id] }
      yield* submit(market, seller, yield* callForQuotes(market, buyer, invited))
      yield* offered(market, buyer, seller)
      yield* agreed(market, buyer, seller)
      const listingId = yield* publish(market, stranger)
      yield* market.ask(`POST /api/listings/${listingId}/pause`, { key: stranger.key })
      const party = [
        "stream.ready",
        "rfq.opened",
        "quote.submitted",
        "deal_room.opened",
        "deal_room.offer_made",
        "deal_room.opened",
        "deal_room.offer_made",
        "deal_room.agreed",
        "deal_room.started",
        "listing.paused"
      ]
      const expected = [party, party, ["stream.ready", "listing.paused"], ["stream.ready", "listing.paused"]]
      for (const [index, { take }] of open_.entries())
        assert.deepStrictEqual(types(yield* take(expected[index]?.length ?? 0)), expected[index])
    })
  )

  it.effect("is a page for those who ask for JSON, and a stream for all others", () =>
    Effect.gen(function* () {
      const { market } = yield* scene
      const accepts: ReadonlyArray<readonly [accept: string | undefined, type: string]> = [
        [undefined, "text/event-stream"],
        ["*/*", "text/event-stream"],
        ["text/event-stream", "text/event-stream"],
        ["text/event-stream, application/json", "text/event-stream"],
        ["application/json", "application/json"],
        ["application/json; charset=utf-8", "application/json"],
        ["Application/JSON", "application/json"]
      ]
      for (const [accept, type] of accepts) {
        const headers = accept === undefined ? {} : { accept }
        const reply = yield* market.call("GET /api/v1/events", { headers })
        assert.strictEqual(reply.headers.get("content-type"), type, accept)
      }
    })
  )

  it.effect("ends when the server drains, and takes no new readers", () =>
    Effect.gen(function* () {
      const { market } = yield* scene
      const { next } = yield* follow(market, "")
      yield* next
      yield* market.drain
      assert.isUndefined(yield* next)
      const late = yield* follow(market, "")
      assert.deepStrictEqual(types(yield* late.take(2)), ["stream.ready"])
    })
  )

  it.effect("refuses before it begins: what is wrong is an envelope", () =>
    Effect.gen(function* () {
      const { market } = yield* scene
      const refused = (query: string, headers: Record<string, string> = {}, key?: string) =>
        Effect.map(market.call(`GET /api/v1/events${query}`, { headers, key }), verdict)
      assert.strictEqual(yield* refused("?types=nothing"), "400 invalid_request")
      assert.strictEqual(yield* refused("?after=x"), "400 invalid_cursor")
      assert.strictEqual(yield* refused("", { "last-event-id": "x" }), "400 invalid_cursor")
      assert.strictEqual(yield* refused("?mine=true"), "401 key_missing")
      assert.strictEqual(yield* refused("", {}, "agent_x"), "401 key_invalid")
    })
  )
})

describe("the number of streams", () => {
  it.effect("is bounded for each agent and each address, and a stream that ends makes room", () =>
    Effect.gen(function* () {
      const market = yield* open({ limits: { maxStreams: 2 } })
      const [one, other] = [yield* market.register("one"), yield* market.register("other")]
      const streams = yield* Effect.forEach([one, one, undefined, undefined, other], (reader) =>
        follow(market, "", reader)
      )
      for (const key of [one.key, undefined]) {
        const refused = yield* market.call("GET /api/v1/events", { key })
        assert.strictEqual(verdict(refused), "429 rate_limited")
      }
      const [first] = streams
      yield* Effect.promise(async () => first?.leave())
      yield* follow(market, "", one)
    })
  )
})
