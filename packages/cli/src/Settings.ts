/** What the environment says of how the market is to run. */
import { RedisRateLimits } from "@souk/server/redis"
import { Config, Effect, Option, Redacted, Schema, SchemaIssue, SchemaTransformation } from "effect"
import { resolve } from "node:path"
import type { Database, DatabaseAt } from "./Database.ts"

const aDatabase = "memory:, sqlite: and the path of a file, or the postgres: URL of a database"

const DatabaseUrl = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Union([
      Schema.TaggedStruct("Memory", {}),
      Schema.TaggedStruct("Sqlite", { filename: Schema.NonEmptyString }),
      Schema.TaggedStruct("Postgres", { url: Schema.Redacted(Schema.String) })
    ]),
    SchemaTransformation.transformEffect({
      decode: (url: string, options): Effect.Effect<DatabaseAt, SchemaIssue.Issue> => {
        if (url === "memory:" || url === "sqlite::memory:") return Effect.succeed({ _tag: "Memory" })
        // Of "sqlite://souk.db" nobody could say whether it is meant to be relative.
        const [, path] = /^sqlite:((?!\/\/[^/]).+)$/su.exec(url) ?? []
        if (path !== undefined) return Effect.succeed({ _tag: "Sqlite", filename: resolve(path) })
        if (/^postgres(ql)?:\/\/./u.test(url) && URL.canParse(url))
          return Effect.succeed({ _tag: "Postgres", url: Redacted.make(url) })
        return Effect.fail(new SchemaIssue.InvalidValue({ expected: aDatabase }, url, options))
      },
      encode: (database: DatabaseAt) => {
        switch (database._tag) {
          case "Memory":
            return Effect.succeed("memory:")
          case "Sqlite":
            return Effect.succeed(`sqlite:${database.filename}`)
          case "Postgres":
            return Effect.succeed(Redacted.value(database.url))
        }
      }
    })
  )
)

const aBaseUrl = "an http:// or https:// URL without a query, such as https://market.example"

/** What the world calls the market, without a slash at its end. */
export const BaseUrl = Schema.String.pipe(
  Schema.decodeTo(
    Schema.String,
    SchemaTransformation.transformEffect({
      decode: (text: string, options): Effect.Effect<string, SchemaIssue.Issue> => {
        const url = URL.parse(text)
        return url !== null && /^https?:$/u.test(url.protocol) && !/[?#@]/u.test(text)
          ? Effect.succeed(url.href.replace(/\/+$/u, ""))
          : Effect.fail(new SchemaIssue.InvalidValue({ expected: aBaseUrl }, text, options))
      },
      encode: (url: string) => Effect.succeed(url)
    })
  )
)

/** A whole number as people write it: neither 0x10 nor 1e3. */
const wholeNumber = (maximum: number, minimum = 0) => {
  const expected = `a whole number from ${minimum} to ${maximum}`
  return Schema.String.check(Schema.isPattern(/^\d{1,9}$/u, { expected })).pipe(
    Schema.decodeTo(
      Schema.Number.check(Schema.isBetween({ minimum, maximum }, { expected })),
      SchemaTransformation.numberFromString
    )
  )
}

/** A secret that cannot be guessed. */
const Token = Schema.String.check(
  Schema.isPattern(/^[!-~]{16,}$/u, { expected: "at least 16 letters, digits and signs, without spaces" })
)

/** Names as they stand in a URL, without a port. */
const HostNames = Schema.String.check(
  Schema.isPattern(/^(([a-z0-9._-]+|\[[0-9a-f:.]+\])(, *(?=.)|$))+$/iu, {
    expected: "a comma-separated list of host names"
  })
).pipe(
  Schema.decodeTo(
    Schema.Array(Schema.String),
    SchemaTransformation.transform({
      decode: (text: string): ReadonlyArray<string> => text.split(/, */u),
      encode: (names) => names.join(",")
    })
  )
)

const schemaName = Schema.String.check(
  Schema.isPattern(/^(?!pg_|information_schema$)[a-z_][a-z0-9_]{0,62}$/u, {
    expected: "a lower-case word of at most 63 letters, digits and underscores that does not begin with pg_"
  })
)

/** The settings of every command that opens the database. */
export const database = Config.all({
  at: Config.schema(DatabaseUrl, "SOUK_DATABASE_URL").pipe(
    Config.withDefault<DatabaseAt>({ _tag: "Sqlite", filename: resolve("souk.db") })
  ),
  schema: Config.option(Config.schema(schemaName, "SOUK_DATABASE_SCHEMA"))
}).pipe(
  Config.map(({ at, schema }): Database =>
    at._tag === "Postgres" ? { ...at, schema: Option.getOrElse(schema, () => "souk") } : at
  )
)

const RedisUrl = Schema.String.check(
  Schema.makeFilter(RedisRateLimits.isUrl, { expected: "the redis: or rediss: URL of a Redis" })
)

const redisPrefix = Schema.String.check(
  Schema.isPattern(/^[\w.-]{1,64}$/u, {
    expected: "a word of at most 64 letters, digits, underscores, dots and hyphens"
  })
)

/** Where requests are counted, if not in the database or in the process. */
const redis = Config.all({
  url: Config.option(Config.map(Config.schema(RedisUrl, "SOUK_REDIS_URL"), Redacted.make)),
  prefix: Config.schema(redisPrefix, "SOUK_REDIS_PREFIX").pipe(Config.withDefault("souk"))
}).pipe(Config.map(({ prefix, url }) => Option.map(url, (url) => ({ url, prefix }))))

/** The settings of `souk serve`, under their names in the environment. */
export const settings = Config.all({
  port: Config.schema(wholeNumber(65_535), "PORT").pipe(Config.withDefault(4100)),
  host: Config.option(Config.NonEmptyString("SOUK_HOST")),
  baseUrl: Config.option(Config.schema(BaseUrl, "SOUK_BASE_URL")),
  database,
  rateLimits: Config.schema(Schema.Literals(["on", "off"]), "SOUK_RATE_LIMITS").pipe(
    Config.withDefault("on" as const)
  ),
  redis,
  webhookHosts: Config.schema(HostNames, "SOUK_WEBHOOK_HOSTS").pipe(
    Config.withDefault<ReadonlyArray<string>>([])
  ),
  metrics: Config.schema(Schema.Literals(["on", "off"]), "SOUK_METRICS").pipe(
    Config.withDefault("on" as const)
  ),
  metricsToken: Config.option(Config.map(Config.schema(Token, "SOUK_METRICS_TOKEN"), Redacted.make)),
  retainEventsDays: Config.option(Config.schema(wholeNumber(36_500, 1), "SOUK_RETAIN_EVENTS_DAYS")),
  trustProxy: Config.schema(wholeNumber(100), "SOUK_TRUST_PROXY").pipe(Config.withDefault(0))
})
