/** How a PostgreSQL database is reached, as a host says it. */
import type { PgClient } from "@effect/sql-pg"
import { Redacted } from "effect"

/** Says where the database is and how it is reached. */
export interface PostgresConnectionOptions extends Omit<
  PgClient.PgPoolConfig,
  "url" | "transformResultNames" | "transformQueryNames" | "transformJson" | "types" | "multiplex"
> {
  /** Like `postgres://user@localhost/app`. As a `Redacted` it is not shown where options are logged. */
  readonly url?: Redacted.Redacted | string | undefined
}

/** What the client takes. Throws a `TypeError` for a URL that is none; it does not say which, for it holds a password. */
export const configOf = ({ url, ...others }: PostgresConnectionOptions): PgClient.PgPoolConfig => {
  if (url === undefined) return others
  const text: unknown = Redacted.isRedacted(url) ? Redacted.value(url) : url
  if (typeof text !== "string" || !/^postgres(?:ql)?:$/u.test(URL.parse(text)?.protocol ?? ""))
    throw new TypeError("url must be a URL that begins with postgres:, like postgres://user@localhost/app.")
  return { ...others, url: Redacted.make(text) }
}
