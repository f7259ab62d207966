/** Tidies the JSON Schemas that Effect derives, so that readers and generators of clients find what they expect. */
import type { JsonSchema } from "effect/JsonSchema"

export interface Schemas {
  readonly [name: string]: JsonSchema
}

const refPrefix = "#/components/schemas/"

export const refTo = (name: string): JsonSchema => ({ $ref: refPrefix + name })

/** The component that a schema refers to. */
export const refOf = (schema: JsonSchema): string | undefined => {
  const ref = schema["$ref"]
  return typeof ref === "string" && ref.startsWith(refPrefix) ? ref.slice(refPrefix.length) : undefined
}

export const isRecord = (value: unknown): value is { readonly [key: string]: unknown } =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** The components that some schemas refer to, directly or through others. */
export const reachable = (
  from: unknown,
  components: Schemas,
  seen: Set<string> = new Set()
): ReadonlySet<string> => {
  if (Array.isArray(from)) for (const item of from) reachable(item, components, seen)
  if (!isRecord(from)) return seen
  const name = refOf(from)
  if (name !== undefined && !seen.has(name)) {
    seen.add(name)
    reachable(components[name], components, seen)
  }
  for (const value of Object.values(from)) reachable(value, components, seen)
  return seen
}

export interface Tidying {
  /** Schemas of replies stay open: a reply may gain a field without a new version of the contract. */
  readonly open: boolean
  /** Components that are the same as another, and that other. */
  readonly aliases: ReadonlyMap<string, string>
}

/** Rewrites a schema, and those inside it. */
export const tidy = (schema: JsonSchema, tidying: Tidying): JsonSchema =>
  Object.fromEntries(
    Object.entries(schema)
      .filter(
        ([key, value]) =>
          !isNoise(key, value) && !(tidying.open && key === "additionalProperties" && value === false)
      )
      .map(([key, value]) => [key, key === "examples" ? value : tidyValue(key, value, tidying)])
  )

const tidyValue = (key: string, value: unknown, tidying: Tidying): unknown => {
  if (Array.isArray(value)) return value.map((item) => tidyValue("", item, tidying))
  if (isRecord(value)) return tidy(value, tidying)
  const name = key === "$ref" ? refOf({ $ref: value }) : undefined
  const alias = name === undefined ? undefined : tidying.aliases.get(name)
  return alias === undefined ? value : refPrefix + alias
}

/** The bounds of a safe integer say nothing that a reader could use. */
const isNoise = (key: string, value: unknown): boolean =>
  (key === "minimum" && value === Number.MIN_SAFE_INTEGER) ||
  (key === "maximum" && value === Number.MAX_SAFE_INTEGER)

/**
 * Finds the components that repeat another under a derived name.
 *
 * A schema and its encoded side are two to Effect (`NextAction` and `NextAction_1`, `Event` and `EventEncoded`) and
 * one to a reader when they look the same.
 */
export const findAliases = (components: Schemas): ReadonlyMap<string, string> => {
  const aliases = new Map<string, string>()
  for (const [name, schema] of Object.entries(components)) {
    const base = name.replace(/(_\d+|Encoded)$/u, "")
    if (base !== name && JSON.stringify(components[base]) === JSON.stringify(schema)) aliases.set(name, base)
  }
  return aliases
}
