/**
 * How each operation of the contract is called, as a table: what a client needs of it at run time, and what a host does
 * that calls the market in its own process.
 */
import { Schema } from "effect"
import type { SchemaAST } from "effect"
import type { HttpApiEndpoint } from "effect/http-api"
import { SoukApi } from "./Api.ts"

/** How an operation is called. */
export interface Operation {
  readonly method: string
  /** With `:id` for each parameter. */
  readonly path: string
  /** Where the argument behind the parameters goes; without it there is none. */
  readonly input?: "query" | "body"
  /** The field of the reply that holds the items of a page. */
  readonly items?: string
}

export interface OperationTable {
  readonly [group: string]: { readonly [name: string]: Operation }
}

/** Reads the table off the contract. */
export const operationTable = (): OperationTable =>
  Object.fromEntries(
    Object.values(SoukApi.groups).map((group) => [
      group.identifier,
      Object.fromEntries(
        Object.values(group.endpoints).map((endpoint) => [endpoint.identifier, operationOf(endpoint)])
      )
    ])
  )

// -----------------------------------------------------------------------------

const operationOf = (endpoint: HttpApiEndpoint.Top): Operation => {
  const { method, path } = endpoint
  const payloads = [...endpoint.payload.values()].flatMap(({ schemas }) => schemas)
  const takesQuery = method === "GET" && endpoint.query !== undefined && takesFields(endpoint.query)
  const items = itemsOf(endpoint)
  return {
    method,
    path,
    ...(payloads.some(takesFields) ? { input: "body" } : takesQuery ? { input: "query" } : {}),
    ...(items === undefined ? {} : { items })
  }
}

/** Tells a schema that has fields from the empty record and `undefined` of operations that take none. */
const takesFields = (schema: Schema.Top): boolean => hasFields(Schema.toEncoded(schema).ast)

const hasFields = (ast: SchemaAST.AST): boolean => {
  switch (ast._tag) {
    case "Objects":
      return ast.propertySignatures.length > 0
    case "Union":
      return ast.types.some(hasFields)
    default:
      return false
  }
}

/** The field of a page that holds its items. */
const itemsOf = (endpoint: HttpApiEndpoint.Top): string | undefined => {
  for (const schema of endpoint.success) {
    const names = fieldNames(Schema.toType(schema).ast)
    if (names.length === 2 && names.includes("nextCursor")) return names.find((name) => name !== "nextCursor")
  }
  return undefined
}

const fieldNames = (ast: SchemaAST.AST): ReadonlyArray<string> =>
  ast._tag === "Objects" ? ast.propertySignatures.map(({ name }) => String(name)) : []
