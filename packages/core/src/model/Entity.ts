/** What every entity has. Contract §1, "Entities". */
import { Schema } from "effect"
import { Instant } from "./Instant.ts"

/** Counts the changes of an entity: 1, 2, 3 … */
export const Version = Schema.Int.check(Schema.isGreaterThanOrEqualTo(1)).annotate({ identifier: "Version" })

/** The fields that every entity shares beside its id. */
export const stamps = { createdAt: Instant, updatedAt: Instant, version: Version }

/** Why an operator did something to an entity: for its owner alone. */
export const OperatorReason = Schema.Struct({ reason: Schema.String }).annotate({
  identifier: "OperatorReason"
})

/** The value-level shape of `stamps`. */
export interface Stamps {
  readonly createdAt: Instant
  readonly updatedAt: Instant
  readonly version: number
}

/** The stamps of an entity that comes to be now. */
export const born = (now: Instant): Stamps => ({ createdAt: now, updatedAt: now, version: 1 })

/** A field that a PATCH leaves alone, sets, or clears with `null`. */
export const clearable = <S extends Schema.Top>(schema: S) => Schema.optionalKey(Schema.NullOr(schema))

/** Applies a PATCH: absent fields stay, `null` clears (RFC 7396). */
export const patched = <E extends object>(entity: E, patch: { readonly [K in keyof E]?: E[K] | null }): E => {
  const next: E = Object.assign({}, entity)
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) Reflect.deleteProperty(next, key)
    else Reflect.set(next, key, value)
  }
  return next
}

/** The next version of an entity with some of its fields changed. */
export const revised = <E extends Stamps>(
  entity: E,
  changes: Partial<Omit<E, keyof Stamps>>,
  now: Instant
): E => ({
  ...entity,
  ...changes,
  updatedAt: now,
  version: entity.version + 1
})
