/** Random histories of a small market, as data: what is committed, forgotten and asked, in which order. */
import type { DeadlineNote, Reliance } from "@souk/core"
import * as fc from "fast-check"
import { sampleId } from "../fixtures.ts"
import { anyDraft, instant, number, seconds } from "./drafts.ts"
import type { Draft } from "./drafts.ts"
import { question } from "./questions.ts"
import type { Question } from "./questions.ts"

/** Which version a write or a reliance names: the present one, or one that is not. */
export type Named = "present" | "wrong"

export interface Attempt {
  readonly _tag: "Commit"
  readonly writes: ReadonlyArray<Omit<Draft, "told"> & { readonly named: Named }>
  readonly reliesOn: ReadonlyArray<{
    readonly kind: Reliance["kind"]
    readonly id: string
    readonly named: Named
  }>
  readonly events: number
  readonly deadlines: ReadonlyArray<DeadlineNote>
  /** The number of an Idempotency-Key. */
  readonly reply: number | undefined
}

/** What has expired is forgotten. */
interface Forgetting {
  readonly _tag: "Forget"
  readonly repliesUntil: number
  readonly tasksUntil: number
  readonly limit: number
}

export type Step = Attempt | Forgetting | Question

const named: fc.Arbitrary<Named> = fc.oneof(
  { weight: 8, arbitrary: fc.constant<Named>("present") },
  { weight: 1, arbitrary: fc.constant<Named>("wrong") }
)

const reliance = fc
  .tuple(
    fc.constantFrom("agent", "listing", "request", "rfq", "quote", "deal_room", "offer", "match", "task"),
    number,
    named
  )
  .map(([kind, n, named]) => ({ kind, id: sampleId(kind, n), named }))

const deadline: fc.Arbitrary<DeadlineNote> = fc
  .tuple(
    fc.constantFrom<DeadlineNote["kind"]>("rfq", "quote", "deal_room", "review"),
    number,
    fc.option(instant, { freq: 3 })
  )
  .map(([kind, n, at]) => ({ kind, id: sampleId(kind, n), at }))

const attempt: fc.Arbitrary<Attempt> = fc.record({
  _tag: fc.constant("Commit"),
  writes: fc.array(
    fc.tuple(anyDraft, named).map(([{ told, ...draft }, named]) => ({
      ...draft,
      named,
      [fc.toStringMethod]: () => `<${named} ${draft.kind} ${told}>`
    })),
    { maxLength: 3, size: "max" }
  ),
  reliesOn: fc.oneof(
    { weight: 4, arbitrary: fc.constant([]) },
    { weight: 1, arbitrary: fc.array(reliance, { maxLength: 2 }) }
  ),
  events: fc.integer({ min: 0, max: 2 }),
  deadlines: fc.uniqueArray(deadline, { maxLength: 2, selector: ({ id }) => id }),
  reply: fc.option(number, { nil: undefined, freq: 3 })
})

const forgetting: fc.Arbitrary<Forgetting> = fc.record({
  _tag: fc.constant("Forget"),
  repliesUntil: seconds,
  tasksUntil: seconds,
  limit: fc.integer({ min: 1, max: 4 })
})

/** A history of up to `maxLength` steps, of which most are commits. */
export const history = (maxLength: number): fc.Arbitrary<ReadonlyArray<Step>> =>
  fc.array<Step>(
    fc.oneof(
      { weight: 12, arbitrary: attempt },
      { weight: 8, arbitrary: question },
      { weight: 1, arbitrary: forgetting }
    ),
    { maxLength, size: "max" }
  )
