import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Latch, Option } from "effect"
import { Agent, request } from "node:http"
import { join } from "node:path"
import { fileURLToPath } from "node:url"
import { agentBody, codeOf, dataOf, follow, registered, send } from "./Caller.ts"
import { directory, start } from "./Server.ts"

const slowDisk = fileURLToPath(new URL("fixtures/slowDisk.ts", import.meta.url))

/** Calls over one connection, which stays open until the scope closes. */
const keepOpen = (url: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => new Agent({ keepAlive: true, maxSockets: 1 })),
      (agent) => Effect.sync(() => agent.destroy())
    ),
    (agent) =>
      Effect.callback<number | undefined, Error>((resume) => {
        request(url, { agent }, (response) => {
          response.resume().on("end", () => resume(Effect.succeed(response.statusCode)))
        })
          .on("error", (error) => resume(Effect.fail(error)))
          .end()
      })
  )

/** Sends the beginning of a call and no more, until the scope closes; gives how it ends. */
const stall = (url: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const call = request(`${url}/api/agents`, {
          method: "POST",
          headers: { "content-type": "application/json", "content-length": "100" }
        })
        const ended = new Promise<string>((resolve) => {
          call
            .on("response", (response) => resolve(`answered ${response.statusCode}`))
            .on("error", (error) => resolve(error.message))
        })
        const sent = new Promise<void>((resolve) => call.write('{"handle":', () => resolve()))
        return { call, ended, sent }
      }),
      ({ call }) => Effect.sync(() => call.destroy())
    ),
    ({ ended, sent }) => ({ ended: Effect.promise(() => ended), sent: Effect.promise(() => sent) })
  )

describe("being told to stop", () => {
  for (const signal of ["SIGTERM", "SIGINT"] as const) {
    it.live(`by ${signal} ends streams, idle connections and slow requests within a second`, () =>
      Effect.gen(function* () {
        const server = yield* start({ SOUK_DATABASE_URL: "memory:" })
        const streams = yield* Effect.forEach(Array.from({ length: 20 }), () => follow(server.url), {
          concurrency: "unbounded"
        })
        for (const { next } of streams) assert.strictEqual((yield* next)?.event, "stream.ready")
        assert.strictEqual(yield* yield* keepOpen(`${server.url}/livez`), 200)
        const slow = yield* stall(server.url)
        yield* slow.sent
        yield* server.signal(signal)
        for (const { next } of streams) assert.isUndefined(yield* next)
        const { code, millis, stderr } = yield* server.ended
        assert.strictEqual(code, 0)
        assert.isBelow(millis, 1000)
        assert.strictEqual(stderr, "")
        assert.oneOf(yield* slow.ended, ["answered 503", "socket hang up", "read ECONNRESET"])
      })
    )
  }

  it.live("takes no time where nobody is waiting", () =>
    Effect.gen(function* () {
      const server = yield* start({ SOUK_DATABASE_URL: "memory:" })
      yield* send(server.url, { path: "/livez" })
      const { code, millis } = yield* server.stop
      assert.strictEqual(code, 0)
      assert.isBelow(millis, 500)
    })
  )

  for (const [name, environment] of [
    ["keeps every write that it has acknowledged", {}],
    ["does not wait for the writes that queue for a slow disk", { NODE_OPTIONS: `--import=${slowDisk}` }]
  ] as const) {
    it.live(name, () =>
      Effect.gen(function* () {
        const settings = {
          SOUK_DATABASE_URL: `sqlite:${join(yield* directory, "souk.db")}`,
          SOUK_RATE_LIMITS: "off"
        }
        const server = yield* start({ ...settings, ...environment })
        const calls = Array.from({ length: 80 }, (_, n) => ({
          path: "/api/agents",
          body: agentBody(`agent-${n}`),
          headers: { "idempotency-key": `call-${n}` }
        }))
        // When some are answered, the others have arrived.
        const some = yield* Latch.make()
        let answered = 0
        const answer = Effect.suspend(() => (++answered === 10 ? some.open : Effect.void))
        const sent = yield* Effect.forEach(calls, (call) =>
          Effect.forkChild(Effect.option(Effect.tap(send(server.url, call), () => answer)))
        )
        yield* some.await
        const { code, millis } = yield* server.stop
        assert.strictEqual(code, 0)
        assert.isBelow(millis, 1000)

        const again = yield* start(settings)
        let acknowledged = 0
        for (const [n, call] of calls.entries()) {
          const answer = yield* Fiber.join(sent[n] ?? assert.fail("not sent"))
          const retried = yield* send(again.url, call)
          assert.strictEqual(retried.status, 201)
          if (Option.isNone(answer)) continue
          if (answer.value.status === 201) {
            acknowledged += 1
            assert.strictEqual(retried.text, answer.value.text)
            assert.strictEqual(retried.headers.get("idempotent-replayed"), "true")
            const { agent } = yield* dataOf(retried, registered)
            const found = yield* send(again.url, { path: `/api/v1/agents/${agent.id}` })
            assert.strictEqual(found.status, 200)
          } else assert.strictEqual(codeOf(answer.value), "unavailable")
        }
        assert.isAtLeast(acknowledged, 10)
      })
    )
  }
})
