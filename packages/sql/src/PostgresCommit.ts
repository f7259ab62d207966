/**
 * Commits to PostgreSQL: a commit is one call of the function `commit_all`, so one transaction and one round trip.
 */
import { StaleVersion, UniqueViolation, Unavailable } from "@souk/core"
import type { Commit, CommitFailure, CommitReceipt } from "@souk/core"
import { Effect, Predicate, Result, Schedule } from "effect"
import type { SqlClient, SqlError } from "effect/sql"
import type { Dialect } from "./Dialect.ts"
import { prepare } from "./Prepared.ts"
import type { Prepared } from "./Prepared.ts"
import { refusalOf } from "./SqlCommit.ts"
import type { Kind } from "./Tables.ts"

/** Makes the `commit` of a store. */
export const make = (
  sql: SqlClient.SqlClient,
  dialect: Dialect
): ((commit: Commit) => Effect.Effect<CommitReceipt, CommitFailure>) => {
  const commitAll = dialect.table("commit_all")

  const carryOut = Effect.fnUntraced(function* (prepared: Prepared) {
    const [outcome] = yield* sql<Outcome>`
      SELECT reached, stale, taken FROM ${commitAll}(${JSON.stringify(changeOf(prepared))})`.pipe(
      Effect.retry({
        while: hasLostToOthers,
        schedule: Schedule.jittered(Schedule.exponential(5)),
        times: 6
      }),
      Effect.catch((error) => Effect.fail(staleIn(prepared, detailOf(error)) ?? refusalOf(dialect, error)))
    )
    if (outcome === undefined) return yield* Unavailable.because(new Error("commit_all gave no answer."))
    if (outcome.taken !== null) return yield* new UniqueViolation({ constraint: "idempotency" })
    const stale = staleIn(prepared, outcome.stale)
    if (stale !== undefined) return yield* stale
    return { position: Number(outcome.reached) }
  })

  return (commit) =>
    Effect.suspend(() => {
      const prepared = prepare(dialect, commit)
      return Result.isFailure(prepared)
        ? Effect.fail(Unavailable.because(prepared.failure))
        : dialect.inTime(carryOut(prepared.success))
    })
}

// -----------------------------------------------------------------------------

interface Outcome {
  readonly reached: bigint | null
  readonly stale: string | null
  readonly taken: string | null
}

/** A commit as `commit_all` is given it. */
const changeOf = (prepared: Prepared) => ({
  locks: locksOf(prepared),
  reply: prepared.reply && { created_at: prepared.reply.createdAt, row: prepared.reply.row },
  writes: prepared.writes.map(({ columns, id, kind, replaces, sides }) => ({
    kind,
    id,
    replaces,
    columns,
    sides: Object.fromEntries(sides.map(({ name, rows }) => [name, rows]))
  })),
  events: prepared.events,
  deadlines: prepared.deadlines
})

interface Lock {
  readonly kind: Kind
  readonly id: string
  readonly version: number
  /** Others may rely upon it meanwhile. */
  readonly shared: boolean
}

/**
 * What must be as the commit knows it, sorted. Of an entity that is written twice the first write counts: the commit
 * itself brings forth what the second replaces.
 */
const locksOf = ({ reliesOn, writes }: Prepared): ReadonlyArray<Lock> => {
  const known = new Set<string>()
  const replaced = new Map<string, Lock>()
  for (const { id, kind, replaces } of writes) {
    if (!known.has(id) && replaces !== null) replaced.set(id, { kind, id, version: replaces, shared: false })
    known.add(id)
  }
  const relied = reliesOn.map((reliance) => ({ ...reliance, shared: !replaced.has(reliance.id) }))
  return [...relied, ...replaced.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))
}

/** The entity that the database names as `kind id`. */
const staleIn = ({ reliesOn, writes }: Prepared, name: string | null): StaleVersion | undefined => {
  const stale = [...reliesOn, ...writes].find(({ id, kind }) => `${kind} ${id}` === name)
  return stale === undefined ? undefined : new StaleVersion({ kind: stale.kind, id: stale.id })
}

/** What `commit_all` says when it raises. */
const detailOf = ({ reason: { cause } }: SqlError.SqlError): string | null =>
  Predicate.hasProperty(cause, "code") &&
  cause.code === "SK409" &&
  Predicate.hasProperty(cause, "detail") &&
  typeof cause.detail === "string"
    ? cause.detail
    : null

/** Whether the database undid a commit for the sake of others. */
const hasLostToOthers = ({ reason }: SqlError.SqlError): boolean =>
  reason._tag === "DeadlockError" || reason._tag === "SerializationError"
