/** Webhooks on real sockets: what a receiver gets, and what nobody can have the market call. */
import { assert, describe, it } from "@effect/vitest"
import { MemoryStore, SendFailed } from "@souk/core"
import { Duration, Effect, Queue } from "effect"
import type { IncomingHttpHeaders, ServerResponse } from "node:http"
import { createServer } from "node:http"
import { Webhook } from "standardwebhooks"
import { createMarketplace } from "../src/index.ts"
import type { Marketplace, MarketplaceOptions } from "../src/index.ts"
import * as WebhookSender from "../src/http/WebhookSender.ts"
import { at, listAt, textAt } from "./market.ts"

interface Received {
  readonly headers: IncomingHttpHeaders
  readonly body: string
  readonly path: string
}

/** Takes requests on 127.0.0.1, keeps them in their order, and answers as told. */
const receiver = Effect.fnUntraced(function* (
  answer: (response: ServerResponse, path: string) => unknown = (response) => response.writeHead(204).end()
) {
  const inbox = yield* Queue.unbounded<Received>()
  const server = createServer((request, response) => {
    let body = ""
    request
      .setEncoding("utf8")
      .on("data", (text: string) => (body += text))
      .on("end", () => {
        const path = request.url ?? ""
        Queue.offerUnsafe(inbox, { headers: request.headers, body, path })
        answer(response, path)
      })
  })
  yield* Effect.promise(() => new Promise<void>((done) => server.listen(0, "127.0.0.1", done)))
  yield* Effect.addFinalizer(() =>
    Effect.sync(() => {
      server.closeAllConnections()
      server.close()
    })
  )
  const address = server.address()
  const port = typeof address === "object" ? address?.port : undefined
  return { origin: `http://127.0.0.1:${port}`, port, next: Queue.take(inbox), count: Queue.size(inbox) }
})

const call = (market: Marketplace, endpoint: string, key?: string, body?: unknown) =>
  Effect.promise(async () => {
    const [method = "GET", path = "/"] = endpoint.split(" ")
    const response = await market.fetch(
      new Request(`http://market.test${path}`, {
        method,
        headers: {
          accept: "application/json",
          "content-type": "application/json",
          ...(key === undefined ? {} : { "x-agent-key": key })
        },
        ...(body === undefined ? {} : { body: JSON.stringify(body) })
      })
    )
    const json: unknown = await response.json()
    return { status: response.status, body: json, data: at(json, "data") }
  })

const near = { allowHosts: ["127.0.0.1"], timeoutSeconds: 0.5 }

/** A market whose agents have receivers on this machine. */
const open = Effect.fnUntraced(function* (webhooks: MarketplaceOptions["webhooks"] = near) {
  const market = yield* Effect.acquireRelease(
    Effect.sync(() =>
      createMarketplace({
        store: MemoryStore.layer,
        rateLimits: "off",
        webhooks
      })
    ),
    (market) => Effect.promise(() => market.close())
  )
  const account = { handle: "atlas", name: "Atlas", email: "desk@atlas.example" }
  const { data } = yield* call(market, "POST /api/agents", undefined, account)
  const key = textAt(data, "apiKey")
  const ask = (endpoint: string, body?: unknown) => call(market, endpoint, key, body)
  const publish = ask("POST /api/listings", { title: "Translations", pricing: { model: "quote" } })
  const hook = Effect.fnUntraced(function* (url: string) {
    const { data } = yield* ask("POST /api/webhooks", { url, types: ["listing.*"] })
    return { id: textAt(data, "webhook", "id"), secret: textAt(data, "secret") }
  })
  /** Waits until each delivery of a webhook has been tried. */
  const tried = (id: string) =>
    Effect.gen(function* () {
      const { data } = yield* ask(`GET /api/v1/webhooks/${id}/deliveries`)
      const deliveries = listAt(data, "deliveries")
      const isTried = deliveries.every((delivery) => listAt(delivery, "attempts").length > 0)
      return deliveries.length > 0 && isTried ? deliveries : yield* Effect.fail("not yet" as const)
    }).pipe(Effect.eventually)
  return { market, ask, hook, publish, tried }
})

describe("a delivery", () => {
  it.live("is signed so that the reference library takes it, by both secrets while they rotate", () =>
    Effect.gen(function* () {
      const { ask, hook, publish } = yield* open()
      const here = yield* receiver()
      const { id, secret } = yield* hook(`${here.origin}/hooks`)
      const verify = ({ body, headers }: Received, secret: string): unknown =>
        new Webhook(secret).verify(body, {
          "webhook-id": `${headers["webhook-id"]}`,
          "webhook-timestamp": `${headers["webhook-timestamp"]}`,
          "webhook-signature": `${headers["webhook-signature"]}`
        })
      const published = yield* publish
      const first = yield* here.next
      assert.strictEqual(first.path, "/hooks")
      assert.strictEqual(first.headers["content-type"], "application/json")
      const event = verify(first, secret)
      assert.strictEqual(textAt(event, "type"), "listing.published")
      assert.strictEqual(textAt(event, "id"), first.headers["webhook-id"])
      assert.strictEqual(textAt(event, "subject", "id"), textAt(published.data, "listing", "id"))
      assert.throws(() => verify({ ...first, body: `${first.body} ` }, secret))

      const rotated = yield* ask(`POST /api/webhooks/${id}/rotate`)
      const next = textAt(rotated.data, "secret")
      assert.throws(() => verify(first, next))
      yield* publish
      const second = yield* here.next
      assert.deepStrictEqual(verify(second, secret), verify(second, next))

      const listed = yield* ask("GET /api/v1/webhooks")
      for (const hidden of [secret, next]) assert.notInclude(JSON.stringify(listed.body), hidden.slice(6))
    })
  )

  it.live("is the event as the stream writes it", () =>
    Effect.gen(function* () {
      const { ask, hook, publish } = yield* open()
      const here = yield* receiver()
      yield* hook(here.origin)
      yield* publish
      const { body } = yield* here.next
      const { data } = yield* ask("GET /api/v1/events?after=earliest&types=listing.*")
      assert.strictEqual(body, JSON.stringify(at(data, "events", 0)))
    })
  )

  it.live("is not led elsewhere by a redirect, nor held up by an answer without an end", () =>
    Effect.gen(function* () {
      const { hook, publish, tried } = yield* open()
      const [trap, endless] = [
        yield* receiver(),
        yield* receiver((response) => {
          response.writeHead(200)
          const timer = setInterval(() => response.write("x".repeat(8192)), 5)
          response.on("close", () => clearInterval(timer))
        })
      ]
      const here = yield* receiver((response) =>
        response.writeHead(307, { location: `${trap.origin}/secret` }).end()
      )
      const [moved, talks] = [yield* hook(here.origin), yield* hook(endless.origin)]
      yield* publish
      const [delivery] = yield* tried(moved.id)
      assert.strictEqual(at(delivery, "attempts", 0, "status"), 307)
      assert.strictEqual(at(delivery, "status"), "pending")
      const [delivered] = yield* tried(talks.id)
      assert.strictEqual(at(delivered, "status"), "delivered")
      assert.strictEqual(yield* trap.count, 0)
    })
  )

  it.live("to a receiver that never answers ends in time, and keeps no other waiting", () =>
    Effect.gen(function* () {
      const { hook, publish, tried } = yield* open()
      const [slow, fast] = [yield* receiver(() => undefined), yield* receiver()]
      const stuck = yield* hook(slow.origin)
      yield* hook(fast.origin)
      for (let n = 0; n < 6; n++) yield* publish
      for (let n = 0; n < 6; n++) yield* fast.next
      assert.isAtMost(yield* slow.count, 4)
      const deliveries = yield* tried(stuck.id)
      for (const delivery of deliveries)
        assert.strictEqual(at(delivery, "attempts", 0, "error"), "No answer within 0.5 s.")
    })
  )

  it.live("says what went wrong with a connection, without the addresses of it", () =>
    Effect.gen(function* () {
      const { hook, publish, tried } = yield* open()
      const reset = yield* receiver((response) => response.destroy())
      const { id } = yield* hook(reset.origin)
      const nobody = yield* hook("http://127.0.0.1:1/")
      yield* publish
      assert.strictEqual(
        at((yield* tried(id))[0], "attempts", 0, "error"),
        "The connection failed: ECONNRESET."
      )
      assert.strictEqual(
        at((yield* tried(nobody.id))[0], "attempts", 0, "error"),
        "The connection failed: ECONNREFUSED."
      )
    })
  )
})

describe("a market", () => {
  it.live("that closes waits for no receiver", () =>
    Effect.gen(function* () {
      const { hook, market, publish } = yield* open({ allowHosts: ["127.0.0.1"] })
      const silent = yield* receiver(() => undefined)
      yield* hook(silent.origin)
      yield* publish
      yield* silent.next
      const [spent] = yield* Effect.timed(Effect.promise(() => market.close()))
      assert.isBelow(Duration.toMillis(spent), 900)
    })
  )

  it.live("whose host wants none takes no webhooks", () =>
    Effect.gen(function* () {
      const { ask } = yield* open("off")
      const { body, status } = yield* ask("POST /api/webhooks", {
        url: "https://atlas.example/",
        types: ["rfq.*"]
      })
      assert.deepStrictEqual([status, textAt(body, "error", "code")], [403, "policy_refused"])
      assert.deepStrictEqual((yield* ask("GET /api/v1/webhooks")).data, { webhooks: [] })
    })
  )
})

const message = { headers: {}, body: "{}" }
const notPublic = "The host leads to an address that is not public."

describe("an address of the host's own network", () => {
  it.live("is refused when a webhook is made, in whatever form it is written", () =>
    Effect.gen(function* () {
      const { ask } = yield* open()
      for (const url of [
        "https://localhost/",
        "https://LOCALHOST./",
        "https://api.localhost/",
        "https://127.0.0.2/",
        "https://2130706434/",
        "https://0x7f000002/",
        "https://0177.0.0.2/",
        "https://127.2/",
        "https://10.0.0.1/",
        "https://169.254.169.254/latest/meta-data/",
        "https://[::1]/",
        "https://[::ffff:127.0.0.1]/",
        "https://[::ffff:a9fe:a9fe]/",
        "https://[fd00:ec2::254]/",
        "https://[64:ff9b::7f00:1]/",
        "http://example.com/",
        "https://user:secret@example.com/"
      ]) {
        const { body, status } = yield* ask("POST /api/webhooks", { url, types: ["rfq.*"] })
        assert.strictEqual(status, 400, url)
        assert.strictEqual(textAt(body, "error", "issues", 0, "path"), "payload.url")
      }
    })
  )

  it.effect("is refused when a name leads to it, also beside a public one", () =>
    Effect.gen(function* () {
      const answers: { readonly [name: string]: ReadonlyArray<string> } = {
        "near.example": ["127.0.0.1"],
        "mixed.example": ["1.1.1.1", "10.0.0.7"],
        "metadata.example": ["169.254.169.254"],
        "mapped.example": ["::ffff:127.0.0.1"],
        "nat.example": ["64:ff9b::127.0.0.1"],
        "none.example": []
      }
      const ask: WebhookSender.Resolve = (name) => Effect.succeed(answers[name] ?? [])
      const sender = WebhookSender.make({}, { ofHost: ask, ofOthers: ask })
      for (const name of Object.keys(answers)) {
        assert.isUndefined(sender.objection(`https://${name}/`))
        const failed = yield* Effect.flip(sender.send({ ...message, url: `https://${name}/` }))
        assert.instanceOf(failed, SendFailed)
        const expected = name === "none.example" ? "The host's name could not be resolved." : notPublic
        assert.strictEqual(failed.reason, expected)
      }
      const failed = yield* Effect.flip(sender.send({ ...message, url: "https://127.0.0.1/" }))
      assert.strictEqual(failed.reason, "The URL must lead to a public address.")
    })
  )

  it.live("is called by a name that the host allows, at the very address that the name led to", () =>
    Effect.gen(function* () {
      const here = yield* receiver()
      let asked = 0
      const ofHost: WebhookSender.Resolve = () => Effect.sync(() => (asked++ === 0 ? ["127.0.0.1"] : []))
      const ofOthers: WebhookSender.Resolve = () => Effect.succeed([])
      const sender = WebhookSender.make({ allowHosts: ["Hooks.internal"] }, { ofHost, ofOthers })
      const url = `http://hooks.internal:${here.port}/`
      assert.isUndefined(sender.objection(url))
      assert.deepStrictEqual(yield* sender.send({ ...message, url }), { status: 204 })
      assert.strictEqual((yield* here.next).headers.host, `hooks.internal:${here.port}`)
      assert.strictEqual(asked, 1)
    })
  )
})
