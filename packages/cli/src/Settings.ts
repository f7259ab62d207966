/** What the environment says of how the market is to run. */
import { Config, Effect, Schema, SchemaIssue, SchemaTransformation } from "effect"

/** Where the market keeps what it knows. */
export type Database = { readonly _tag: "Memory" } | { readonly _tag: "Sqlite"; readonly filename: string }

const expected = "memory:, or sqlite: and the path of a file"

const DatabaseUrl = Schema.String.pipe(
  Schema.decodeTo(
    Schema.Union([
      Schema.TaggedStruct("Memory", {}),
      Schema.TaggedStruct("Sqlite", { filename: Schema.NonEmptyString })
    ]),
    SchemaTransformation.transformEffect({
      decode: (url: string, options): Effect.Effect<Database, SchemaIssue.Issue> => {
        if (url === "memory:") return Effect.succeed({ _tag: "Memory" })
        const filename = url.startsWith("sqlite:") ? url.slice("sqlite:".length) : ""
        return filename === ""
          ? Effect.fail(new SchemaIssue.InvalidValue({ expected }, url, options))
          : Effect.succeed({ _tag: "Sqlite", filename })
      },
      encode: (database: Database) =>
        Effect.succeed(database._tag === "Memory" ? "memory:" : `sqlite:${database.filename}`)
    })
  )
)

const port = Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 65_535 }))
const portFromText = Schema.NumberFromString.pipe(Schema.decodeTo(port))

/** `PORT` (0 takes a free one), `SOUK_HOST`, `SOUK_DATABASE_URL`, `SOUK_BASE_URL`, `SOUK_RATE_LIMITS`, `SOUK_TRUST_PROXY`. */
export const settings = Config.all({
  port: Config.schema(portFromText, "PORT").pipe(Config.withDefault(4100)),
  host: Config.option(Config.NonEmptyString("SOUK_HOST")),
  baseUrl: Config.option(Config.URL("SOUK_BASE_URL")),
  database: Config.schema(DatabaseUrl, "SOUK_DATABASE_URL").pipe(
    Config.withDefault<Database>({ _tag: "Sqlite", filename: "./souk.db" })
  ),
  rateLimits: Config.schema(Schema.Literals(["on", "off"]), "SOUK_RATE_LIMITS").pipe(
    Config.withDefault("on" as const)
  ),
  trustProxy: Config.Int("SOUK_TRUST_PROXY").pipe(Config.withDefault(0))
})
