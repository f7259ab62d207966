import { assert, describe, it } from "@effect/vitest"
import { ConfigProvider, Effect, Option, Redacted } from "effect"
import { resolve } from "node:path"
import { placeOf } from "../src/Database.ts"
import { explained } from "../src/sentences.ts"
import { settings } from "../src/Settings.ts"

const read = (env: Readonly<Record<string, string>>) =>
  explained(settings.parse(ConfigProvider.fromEnv({ env })))

const sentence = (name: string, value: string) =>
  Effect.map(Effect.flip(read({ [name]: value })), ({ userMessage }) => userMessage)

describe("Settings", () => {
  it.effect("are those of the README where nothing is said", () =>
    Effect.gen(function* () {
      for (const env of [{}, { PORT: "", SOUK_DATABASE_URL: "", SOUK_RATE_LIMITS: "" }])
        assert.deepStrictEqual(yield* read(env), {
          port: 4100,
          host: Option.none(),
          baseUrl: Option.none(),
          database: { _tag: "Sqlite", filename: resolve("souk.db") },
          rateLimits: "on",
          redis: Option.none(),
          webhookHosts: [],
          metrics: "on",
          metricsToken: Option.none(),
          retainEventsDays: Option.none(),
          trustProxy: 0
        })
    })
  )

  it.effect("refuse a token that can be guessed, without telling it", () =>
    Effect.gen(function* () {
      for (const token of ["secret", "sixteen letters and spaces"])
        assert.strictEqual(
          yield* sentence("SOUK_METRICS_TOKEN", token),
          "SOUK_METRICS_TOKEN is not as it should be: expected at least 16 letters, digits and signs, without spaces."
        )
    })
  )

  it.effect("take a Redis to count in, and tell nobody its password", () =>
    Effect.gen(function* () {
      const url = "rediss://souk:s3cret@redis.example:6380/2"
      const { redis } = yield* read({ SOUK_REDIS_URL: url, SOUK_REDIS_PREFIX: "bazaar" })
      assert(Option.isSome(redis))
      assert.strictEqual(redis.value.prefix, "bazaar")
      assert.strictEqual(Redacted.value(redis.value.url), url)
      for (const wrong of [
        "localhost:6379",
        "http://:s3cret@localhost",
        "redis://",
        "redis://h/a",
        "redis://:s3cret%@h"
      ])
        assert.strictEqual(
          yield* sentence("SOUK_REDIS_URL", wrong),
          "SOUK_REDIS_URL is not as it should be: expected the redis: or rediss: URL of a Redis."
        )
      assert.strictEqual(
        yield* sentence("SOUK_REDIS_PREFIX", "souk:"),
        "SOUK_REDIS_PREFIX is not as it should be: expected a word of at most 64 letters, digits, underscores, dots and hyphens."
      )
    })
  )

  it.effect("take a database in memory or in a file", () =>
    Effect.gen(function* () {
      for (const [url, filename] of [
        ["sqlite:market.db", resolve("market.db")],
        ["sqlite:./my markets/souk.db", resolve("my markets/souk.db")],
        ["sqlite:/var/souk.db", "/var/souk.db"],
        ["sqlite:///var/souk.db", "/var/souk.db"],
        ["sqlite:file:market?mode=memory", resolve("file:market?mode=memory")]
      ] as const) {
        const { database } = yield* read({ SOUK_DATABASE_URL: url })
        assert.deepStrictEqual(database, { _tag: "Sqlite", filename })
      }
      for (const url of ["memory:", "sqlite::memory:"])
        assert.deepStrictEqual((yield* read({ SOUK_DATABASE_URL: url })).database, { _tag: "Memory" })
    })
  )

  it.effect("refuse any other database, without telling what was given", () =>
    Effect.gen(function* () {
      const expected =
        "SOUK_DATABASE_URL is not as it should be: expected memory:, sqlite: and the path of a file, or the postgres: URL of a database."
      for (const url of [
        "nonsense",
        "sqlite:",
        "sqlite://souk.db",
        ":memory:",
        "mysql://souk:s3cret@localhost"
      ])
        assert.strictEqual(yield* sentence("SOUK_DATABASE_URL", url), expected)
    })
  )

  it.effect("take a database of a server, and tell nobody its password", () =>
    Effect.gen(function* () {
      const url = "postgresql://souk:s3cret@db.example/market"
      const all = yield* read({ SOUK_DATABASE_URL: url, SOUK_DATABASE_SCHEMA: "bazaar" })
      const { database } = all
      assert(database._tag === "Postgres")
      assert.deepStrictEqual([Redacted.value(database.url), database.schema], [url, "bazaar"])
      assert.notInclude(JSON.stringify(all), "s3cret")
      assert.strictEqual(placeOf(database), "the schema bazaar of postgres://db.example/market")
      const plain = yield* read({ SOUK_DATABASE_URL: url })
      assert.deepInclude(plain.database, { schema: "souk" })
    })
  )

  it.effect("take whole numbers as people write them", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* read({ PORT: "0" })).port, 0)
      assert.strictEqual((yield* read({ PORT: "65535" })).port, 65_535)
      assert.strictEqual((yield* read({ SOUK_TRUST_PROXY: "2" })).trustProxy, 2)
      for (const port of ["nonsense", "-1", "65536", "4100.5", "0x10", "1e3", "99999999999"])
        assert.strictEqual(
          yield* sentence("PORT", port),
          "PORT is not as it should be: expected a whole number from 0 to 65535."
        )
      for (const hops of ["-1", "all", "0.5", "101"])
        assert.strictEqual(
          yield* sentence("SOUK_TRUST_PROXY", hops),
          "SOUK_TRUST_PROXY is not as it should be: expected a whole number from 0 to 100."
        )
    })
  )

  it.effect("take what the world calls the market, if it is one name", () =>
    Effect.gen(function* () {
      for (const [given, taken] of [
        ["https://market.example", "https://market.example"],
        ["https://market.example/souk/", "https://market.example/souk"],
        ["http://localhost:4100", "http://localhost:4100"]
      ] as const)
        assert.deepStrictEqual((yield* read({ SOUK_BASE_URL: given })).baseUrl, Option.some(taken))
      for (const url of [
        "market.example",
        "ftp://market.example",
        "https://",
        "https://market.example/?a=b",
        "https://market.example/#top",
        "https://souk:s3cret@market.example"
      ])
        assert.strictEqual(
          yield* sentence("SOUK_BASE_URL", url),
          "SOUK_BASE_URL is not as it should be: expected an http:// or https:// URL without a query, such as https://market.example."
        )
    })
  )

  it.effect("switch the rate limits on or off, and nothing between", () =>
    Effect.gen(function* () {
      assert.strictEqual((yield* read({ SOUK_RATE_LIMITS: "off" })).rateLimits, "off")
      for (const limits of ["maybe", "OFF", "0", "false"])
        assert.strictEqual(
          yield* sentence("SOUK_RATE_LIMITS", limits),
          'SOUK_RATE_LIMITS is not as it should be: expected "on" | "off".'
        )
    })
  )

  it.effect("take the names that webhooks may call, as they stand in a URL", () =>
    Effect.gen(function* () {
      const { webhookHosts } = yield* read({ SOUK_WEBHOOK_HOSTS: "localhost, hooks.internal,[::1]" })
      assert.deepStrictEqual(webhookHosts, ["localhost", "hooks.internal", "[::1]"])
      for (const hosts of ["http://localhost", "localhost:4000", "a,,b"])
        assert.strictEqual(
          yield* sentence("SOUK_WEBHOOK_HOSTS", hosts),
          "SOUK_WEBHOOK_HOSTS is not as it should be: expected a comma-separated list of host names."
        )
    })
  )
})
