/**
 * State tables: the moves of an aggregate as data.
 *
 * A table is the one place that says who may move what from where to where. The refusals, the `nextActions` that
 * callers get, and the tests are all derived from it. Contract §4.
 */
import { Result } from "effect"
import type { NextAction, Role } from "../model/DealRoom.ts"
import { Forbidden, InvalidState, LimitReached, NotYourTurn } from "../model/Errors.ts"
import type { EventType } from "../model/Event.ts"
import type { Instant } from "../model/Instant.ts"

/** A move: from any of some states, by any of some roles, to a state, on a condition, telling of it by an event. */
export interface Move<Entity, Status extends string, Name extends string> {
  readonly from: ReadonlyArray<Status>
  readonly move: Name
  readonly by: ReadonlyArray<Role>
  /** `"same"`: the move changes the entity, not its state. */
  readonly to: Status | "same"
  readonly event: EventType | null
  /** All of them must hold; a refusal names the first that does not. */
  readonly when?: Condition<Entity> | ReadonlyArray<Condition<Entity>>
}

/** What must hold beside the state, in words and as a predicate, and how a caller is refused when it does not. */
export interface Condition<Entity> {
  readonly says: string
  readonly holds: (entity: Entity, by: Role) => boolean
  /** `invalid_state` where nothing is said. */
  readonly otherwise?: "not_your_turn" | "limit_reached" | undefined
}

export type StateTable<Entity, Status extends string, Name extends string> = ReadonlyArray<
  Move<Entity, Status, Name>
>

export type MoveRefused = InvalidState | NotYourTurn | LimitReached | Forbidden

interface Stateful<Status extends string> {
  readonly status: Status
}

/** Finds the row that lets a role make a move, or refuses with the reason nearest to what the caller can mend. */
export const permit = <Entity extends Stateful<Status>, Status extends string, Name extends string>(
  table: StateTable<Entity, Status, Name>,
  entity: Entity,
  move: Name,
  by: Role,
  deadline: (move: Name) => Instant | undefined = () => undefined
): Result.Result<Move<Entity, Status, Name>, MoveRefused> => {
  const rows = table.filter((row) => row.move === move)
  if (!rows.some((row) => row.by.includes(by)))
    return Result.fail(new Forbidden({ message: `Only the ${allowed(rows)} may ${words(move)}.` }))
  const refusal = { status: entity.status, nextActions: nextActions(table, entity, deadline) }
  const here = rows.filter((row) => row.from.includes(entity.status))
  if (here.length === 0)
    return Result.fail(
      new InvalidState({ message: `Cannot ${words(move)} while the status is ${entity.status}.`, ...refusal })
    )
  const mine = here.filter((row) => row.by.includes(by))
  if (mine.length === 0)
    return Result.fail(
      new NotYourTurn({
        message: `While the status is ${entity.status}, only the ${allowed(here)} may ${words(move)}.`,
        ...refusal
      })
    )
  const open = mine.find((row) => unmet(row, entity, by) === undefined)
  if (open !== undefined) return Result.succeed(open)
  const condition = mine.map((row) => unmet(row, entity, by)).find((found) => found !== undefined)
  const message = `Cannot ${words(move)} unless ${condition?.says}.`
  switch (condition?.otherwise) {
    case "not_your_turn":
      return Result.fail(new NotYourTurn({ message, ...refusal }))
    case "limit_reached":
      return Result.fail(new LimitReached({ message }))
    case undefined:
      return Result.fail(new InvalidState({ message, ...refusal }))
  }
}

/** The moves that are open now, by whom, and until when where time will decide otherwise. */
export const nextActions = <Entity extends Stateful<Status>, Status extends string, Name extends string>(
  table: StateTable<Entity, Status, Name>,
  entity: Entity,
  deadline: (move: Name) => Instant | undefined = () => undefined
): ReadonlyArray<NextAction> =>
  table
    .filter((row) => row.from.includes(entity.status))
    .flatMap((row) =>
      row.by
        .filter((by) => by !== "time" && unmet(row, entity, by) === undefined)
        .map((by) => {
          const until = deadline(row.move)
          return { action: row.move, by, ...(until === undefined ? {} : { deadline: until }) }
        })
    )

/** The conditions of a move, in the order in which they are judged. */
const conditionsOf = <Entity>({
  when = []
}: Pick<Move<Entity, string, string>, "when">): ReadonlyArray<Condition<Entity>> =>
  "holds" in when ? [when] : when

const unmet = <Entity>(
  row: Pick<Move<Entity, string, string>, "when">,
  entity: Entity,
  by: Role
): Condition<Entity> | undefined => conditionsOf(row).find((condition) => !condition.holds(entity, by))

/** A move as a verb: the names of the contract are verbs but for one. */
const words = (move: string): string =>
  move === "unsuccessful" ? "mark as unsuccessful" : move.replaceAll("_", " ")

const allowed = (rows: ReadonlyArray<{ readonly by: ReadonlyArray<Role> }>): string =>
  [...new Set(rows.flatMap((row) => row.by))].join(" or ")
