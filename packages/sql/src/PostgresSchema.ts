/** Which part of a PostgreSQL database holds a market. */
import { Data, Effect } from "effect"

/** Says which part of a database holds the market. */
export interface PostgresSchemaOptions {
  /**
   * The schema of the market's tables, `souk` by default: a lower-case word. Two markets in one database have two, and
   * do not meet.
   */
  readonly schema?: string | undefined
}

/** The name of a schema is not one that this store can use. */
export class InvalidSchemaName extends Data.TaggedError("InvalidSchemaName")<{ readonly schema: string }> {
  override get message(): string {
    return (
      `${JSON.stringify(this.schema)} cannot be the schema of a market: ` +
      "choose a lower-case word of at most 63 letters, digits and underscores that does not begin with pg_."
    )
  }
}

/** The name of the schema, where it can be one. */
export const nameOf = ({
  schema = "souk"
}: PostgresSchemaOptions): Effect.Effect<string, InvalidSchemaName> =>
  /^(?!pg_|information_schema$)[a-z_][a-z0-9_]{0,62}$/.test(schema)
    ? Effect.succeed(schema)
    : Effect.fail(new InvalidSchemaName({ schema }))
