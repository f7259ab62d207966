/** Events over connections that do not hold. */
import { assert, describe, it } from "@effect/vitest"
import { KeyRevokedError, Souk, SoukError, StreamResetError } from "../src/index.ts"
import type { EventStream } from "../src/index.ts"
import { refused } from "./refused.ts"
import { before, refuse, resetting, serve } from "./serve.ts"
import type { Passing } from "./serve.ts"

const listing = (title: string) => ({ title, pricing: { model: "quote" } }) as const

/** Takes events until there are so many. */
const take = async (stream: EventStream, count: number) => {
  const ids: Array<string> = []
  for await (const { subject } of stream) {
    ids.push(subject.id)
    if (ids.length === count) break
  }
  return ids
}

/** Makes readers come back at once: both texts are of the same length. */
const soon = (piece: string) => piece.replace("retry: 3000", "retry: 0005")

const isStream = ({ incoming }: Passing) => incoming.url?.startsWith("/api/v1/events") === true

describe("the events", () => {
  it("come as they happen, typed, and end with the loop", async () => {
    await using market = await serve()
    await using front = await before(market.url, ({ pass }) => pass())
    const { souk, agent } = await market.agent("seller", { baseUrl: front.url })
    const stream = souk.events({ types: ["listing.*"], mine: true, after: "earliest" })
    const published = await souk.listings.publish(listing("One"))
    for await (const event of stream) {
      assert.strictEqual(event.type, "listing.published")
      assert.strictEqual(event.actorId, agent.id)
      assert.deepStrictEqual(event.subject, { kind: "listing", id: published.listing.id, version: 1 })
      break
    }
    const closed = front.seen.find(({ url }) => url?.includes("events"))
    if (closed?.destroyed === false) await new Promise((done) => closed.once("close", done))
    assert.isString(stream.cursor)
  })

  it("come all and once, in order, however often the connection is cut", async () => {
    await using market = await serve()
    let connections = 0
    await using front = await before(market.url, (passing) => {
      if (!isStream(passing)) return passing.pass()
      // Each connection ends somewhere in its first texts, the later ones a little later.
      let left = 150 + ((connections++ * 97) % 700)
      passing.pass((piece) => {
        const part = soon(piece).slice(0, left)
        left -= part.length
        return left > 0 ? part : [part]
      })
    })
    const { souk } = await market.agent("seller")
    const cut = new Souk({ baseUrl: front.url })
    const expected: Array<string> = []
    const reading = take(cut.events({ types: ["listing.published"], after: "earliest" }), 60)
    for (let count = 1; count <= 60; count++) {
      const { listing: made } = await souk.listings.publish(listing(`Listing ${count} — Übersetzung`))
      expected.push(made.id)
    }
    assert.deepStrictEqual(await reading, expected)
    assert.isAbove(connections, 10)
  })

  it("end with the signal of the client, as its calls do", async () => {
    await using market = await serve()
    const closing = new AbortController()
    const { souk } = await market.agent("seller", { signal: closing.signal })
    const { listing: made } = await souk.listings.publish(listing("One listing"))
    const ids: Array<string> = []
    for await (const { subject } of souk.events({ types: ["listing.published"], after: "earliest" })) {
      ids.push(subject.id)
      closing.abort(new RangeError("The agent ends."))
    }
    assert.deepStrictEqual(ids, [made.id])
    const own = new AbortController()
    assert.include(String(await souk.agents.me({ signal: own.signal }).catch(String)), "The agent ends.")
  })

  it("go on over refusals that pass, and in a later process from its cursor", async () => {
    await using market = await serve()
    let connections = 0
    await using front = await before(market.url, (passing) => {
      connections++
      if (connections === 2)
        return void refuse(passing.outgoing, 503, { code: "unavailable", recovery: "transient" })
      if (connections === 3) return void passing.outgoing.writeHead(502).end("<h1>Bad gateway</h1>")
      if (connections === 4) return void passing.outgoing.destroy()
      let frames = 0
      passing.pass((piece) => {
        // The first connection ends behind the greeting and one event.
        const [greeting = "", first = ""] = soon(piece)
          .split(/(?<=\n\n)/u)
          .slice(0, 2 - frames)
        frames += first === "" ? 1 : 2
        return connections > 1 ? soon(piece) : frames < 2 ? greeting : [greeting + first]
      })
    })
    const { souk } = await market.agent("seller")
    const made = []
    for (const title of ["One listing", "Two listings", "Three listings"])
      made.push((await souk.listings.publish(listing(title))).listing.id)
    const reader = new Souk({ baseUrl: front.url })
    const first = reader.events({ types: ["listing.*"], after: "earliest" })
    const found = await take(first, 2)
    const later = reader.events({ types: ["listing.*"], after: first.cursor })
    assert.deepStrictEqual([...found, ...(await take(later, 1))], made)
  })

  it("notice a connection that is dead", async () => {
    await using market = await serve()
    let connections = 0
    await using front = await before(market.url, (passing) => {
      let texts = 0
      connections++
      // The first connection stays open and says nothing more than its greeting.
      passing.pass((piece) => (connections === 1 && texts++ > 0 ? "" : soon(piece)))
    })
    const { souk } = await market.agent("seller")
    const stream = new Souk({ baseUrl: front.url }).events({ types: ["listing.*"] }, { silenceMillis: 100 })
    const reading = take(stream, 1)
    while (stream.cursor === undefined) await new Promise((done) => setTimeout(done, 5))
    const { listing: made } = await souk.listings.publish(listing("One listing"))
    assert.deepStrictEqual(await reading, [made.id])
    assert.isAbove(connections, 1)
  })

  it("end when the signal says so, also while nothing comes", async () => {
    await using market = await serve()
    const souk = new Souk({ baseUrl: market.url })
    const controller = new AbortController()
    const stream = souk.events({}, { signal: controller.signal })
    const reading = take(stream, 1)
    while (stream.cursor === undefined) await new Promise((done) => setTimeout(done, 5))
    controller.abort()
    assert.deepStrictEqual(await reading, [])
    assert.deepStrictEqual(await take(stream, 1), [])
  })

  it("end with the key", async () => {
    await using market = await serve()
    const { souk } = await market.agent("seller")
    const { key, apiKey } = await souk.keys.create({ label: "reader" })
    await using front = await before(market.url, ({ pass }) => pass(soon))
    const stream = new Souk({ baseUrl: front.url, apiKey }).events({ types: ["rfq.*"] })
    const reading = refused(KeyRevokedError, take(stream, 1))
    while (stream.cursor === undefined) await new Promise((done) => setTimeout(done, 5))
    await souk.keys.revoke(key.id)
    await reading
  })

  it("fail at once where there is no market, or no such cursor", async () => {
    await using market = await serve()
    const souk = new Souk({ baseUrl: market.url })
    const error = await refused(SoukError, take(souk.events({ after: "nonsense" }), 1))
    assert.strictEqual(error.code, "invalid_cursor")
    await using front = await before(market.url, ({ outgoing }) => outgoing.destroy())
    const nobody = new Souk({ baseUrl: front.url, maxAttempts: 1 })
    assert.strictEqual((await refused(SoukError, take(nobody.events(), 1))).code, "connection_failed")
  })
})

describe("a cursor that is too old", () => {
  it("is a failure for who is not prepared", async () => {
    await using front = await resetting()
    const stream = new Souk({ baseUrl: front.url }).events({ after: "old" })
    const error = await refused(StreamResetError, take(stream, 1))
    assert.strictEqual(error.cursor, "new")
  })

  it("is told to who is, and the stream goes on", async () => {
    await using front = await resetting()
    const resets: Array<string> = []
    const stream = new Souk({ baseUrl: front.url }).events(
      { after: "old", types: ["rfq.closed"] },
      { onReset: (cursor) => void resets.push(cursor) }
    )
    const types: Array<string | undefined> = []
    for await (const { type } of stream) if (types.push(type) === 2) break
    assert.deepStrictEqual(types, [undefined, "rfq.closed"])
    assert.deepStrictEqual(resets, ["new"])
    assert.strictEqual(stream.cursor, "newest")
  })
})
