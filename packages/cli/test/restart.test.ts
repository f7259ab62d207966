import { assert, describe, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { join } from "node:path"
import type { Message } from "./Caller.ts"
import { ask, codeOf, follow, Identified, listingBody, register, registered, send } from "./Caller.ts"
import { directory, run, start } from "./Server.ts"

const onFile = Effect.map(directory, (path) => ({ SOUK_DATABASE_URL: `sqlite:${join(path, "souk.db")}` }))

const publish = (url: string, key: string, title: string) =>
  ask(url, { path: "/api/listings", key, body: listingBody(title) }, { listing: Identified })

/** The next so many messages of a stream. */
const take = (stream: { readonly next: Effect.Effect<Message | undefined> }, count: number) =>
  Effect.forEach(Array.from({ length: count }), () =>
    Effect.map(stream.next, (message) => message ?? assert.fail("the stream has ended"))
  )

describe("the database file", () => {
  it.live(
    "is refused to a second market, while the first goes on; after a crash the second has everything",
    () =>
      Effect.gen(function* () {
        const settings = yield* onFile
        const first = yield* start(settings)
        const { agent, apiKey } = yield* register(first.url, "atlas")
        for (const _ of ["once", "and again"]) {
          const second = yield* run(["serve"], { settings: { ...settings, PORT: "0" } })
          assert.deepStrictEqual([second.code, second.stdout], [1, ""])
          const file = settings.SOUK_DATABASE_URL.replace("sqlite:", "")
          assert.include(
            second.stderr,
            `The database ${file} is in use and allows only one process at a time: stop the other process, or choose a different file.\n`
          )
          yield* publish(first.url, apiKey, "Translations")
        }
        assert.strictEqual((yield* first.kill).signal, "SIGKILL")
        const second = yield* start(settings)
        const me = yield* ask(second.url, { path: "/api/v1/me", key: apiKey }, { agent: Identified })
        assert.deepStrictEqual(me.agent, agent)
        const { listings } = yield* ask(
          second.url,
          { path: "/api/v1/listings" },
          { listings: Schema.Array(Identified) }
        )
        assert.strictEqual(listings.length, 2)
      })
  )

  for (const end of ["stop", "kill"] as const) {
    it.live(`keeps keys, entities, cursors and replies over a ${end}`, () =>
      Effect.gen(function* () {
        const settings = yield* onFile
        const before = yield* start(settings)
        const registration = {
          path: "/api/agents",
          body: { handle: "atlas", name: "Atlas Translations", email: "desk@atlas.example" },
          headers: { "idempotency-key": "first" }
        }
        const original = yield* send(before.url, registration)
        const { apiKey: key } = yield* ask(before.url, registration, registered)
        const { listing } = yield* publish(before.url, key, "Translations")
        const paths = [
          "/api/v1/me",
          `/api/v1/listings/${listing.id}`,
          "/api/v1/listings",
          "/api/v1/search?q=translations"
        ]
        const answers = yield* Effect.forEach(paths, (path) => send(before.url, { path, key }))
        const stream = yield* follow(before.url, "/api/v1/events?after=earliest")
        const [ready, agentRegistered] = yield* take(stream, 3)
        yield* publish(before.url, key, "Proofreading")
        yield* take(stream, 1)
        yield* before[end]

        const after = yield* start(settings)
        const again = yield* send(after.url, registration)
        assert.strictEqual(again.text, original.text)
        assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
        const body = { ...registration.body, name: "Atlas" }
        assert.strictEqual(
          codeOf(yield* send(after.url, { ...registration, body })),
          "idempotency_key_reused"
        )
        const now = yield* Effect.forEach(paths.slice(0, 2), (path) => send(after.url, { path, key }))
        assert.deepStrictEqual(
          now.map(({ text, headers }) => [text, headers.get("etag")]),
          answers.slice(0, 2).map(({ text, headers }) => [text, headers.get("etag")])
        )
        for (const path of paths.slice(2)) {
          const { text } = yield* send(after.url, { path, key })
          assert.include(text, `"${listing.id}"`)
        }

        // Each cursor of before leads to where it led then: what was missed, in order, and then what is new.
        const earlier = ["agent.registered", "listing.published", "listing.published"]
        const resumed = yield* Effect.forEach([ready, agentRegistered], (message) =>
          follow(after.url, "/api/v1/events", { "last-event-id": message?.id ?? "" })
        )
        for (const [known, stream] of resumed.entries()) {
          const messages = yield* take(stream, 1 + earlier.length - known)
          const types = messages.map(({ event }) => event)
          assert.deepStrictEqual(types, ["stream.ready", ...earlier.slice(known)])
        }
        const { listing: latest } = yield* publish(after.url, key, "Interpreting")
        for (const stream of resumed) assert.include((yield* take(stream, 1))[0]?.data, latest.id)
      })
    )
  }
})
