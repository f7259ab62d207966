/** Why the store cannot answer, in a sentence for the host. Callers over HTTP never read it. */
import { Unavailable } from "@souk/core"
import { Migrator, SqlError } from "effect/sql"

/** Gives what is told to a host: where a database is at fault, an `Unavailable` whose message tells what it said. */
export const toHost = (failure: unknown): unknown => {
  const isDatabase = SqlError.isSqlError(failure) || failure instanceof Migrator.MigrationError
  if (!isDatabase && !(failure instanceof Unavailable && failure.cause !== undefined)) return failure
  const cause = isDatabase ? failure : failure.cause
  return new Unavailable({
    message: `The market's store cannot answer now: ${withoutSecrets(reasonOf(cause))}`,
    cause
  })
}

// -----------------------------------------------------------------------------

/** The innermost message that says more than those around it. */
const reasonOf = (cause: unknown): string => {
  const seen = new Set<unknown>()
  const said: Array<string> = []
  for (let error = cause; error !== undefined && !seen.has(error); error = Object(error).cause) {
    seen.add(error)
    const message = sentenceOf(error)
    if (message !== "" && said.every((earlier) => !earlier.includes(message))) said.push(message)
  }
  return said.at(-1) ?? "it does not say why"
}

const sentenceOf = (error: unknown): string => {
  if (error instanceof AggregateError)
    return [...new Set(error.errors.map((one) => sentenceOf(one)))].join(", ")
  const { address, code, hostname, message, port } = Object(error)
  switch (code) {
    case "ECONNREFUSED":
      return `connection refused at ${address}:${port}`
    case "ETIMEDOUT":
      return address === undefined ? String(message) : `no answer from ${address}:${port}`
    case "ENOTFOUND":
      return `there is no host ${hostname}`
    default:
      return typeof message === "string" ? message : String(error)
  }
}

/** A store of the host's own may quote where it connects to. */
const withoutSecrets = (text: string): string =>
  text.replaceAll(/\/\/[^\s/]*@/gu, "//").replaceAll(/\b(password|pwd)=\S+/giu, "$1=…")
