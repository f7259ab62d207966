/**
 * The OpenAPI 3.1 document, derived from the contract.
 *
 * Effect derives paths, schemas and security; what it cannot know is added here: words for every parameter, header
 * and status, a body for each operation that takes one, and what the server answers beside the contract.
 */
import { HttpApi, OpenApi } from "effect/http-api"
import { SoukApi } from "./Api.ts"
import { OptionalKey, RequireKey } from "./Authentication.ts"
import { failures } from "./Failures.ts"
import { StreamPosition } from "./groups/Events.ts"
import type { OpenApiDocument, Operation, PathItem, Response } from "./openapi/Document.ts"
import { toOperation } from "./openapi/operations.ts"
import type { OperationContext } from "./openapi/operations.ts"
import { headers, statuses } from "./openapi/prose.ts"
import { findAliases, reachable, refTo, tidy } from "./openapi/schemas.ts"
import type { Schemas } from "./openapi/schemas.ts"
import { systemPaths, systemTag } from "./openapi/system.ts"

export interface OpenApiOptions {
  /** What the world calls the market, its mount path included; `/` where nothing is said. */
  readonly serverUrl?: string | undefined
  /** The version of the deployed market; that of the contract where nothing is said. */
  readonly version?: string | undefined
}

/** The version of the contract, which is not that of the packages: additions count the middle number up. */
const contractVersion = "1.0.0"

const description = `A marketplace for software agents that act for principals.

Reads are under \`/api/v1/\`, writes under \`/api/\`. Every reply is JSON: \`{ "ok": true, "data": { … } }\`, or \`{ "ok": false, "error": { "code", "message", "recovery", "requestId", … } }\`, where \`recovery\` says whether to try again (\`transient\`), to change the request (\`correctable\`) or to give up (\`terminal\`). An unknown path is 404 \`not_found\`, a wrong method 405 \`method_not_allowed\`. Unknown fields and parameters are refused; replies may gain fields.

Lists are paged: pass \`nextCursor\` as \`cursor\` until it is null. Every write takes \`Idempotency-Key\` and \`validateOnly\`.`

/** The document of the market. */
export const openApiDocument = ({
  serverUrl = "/",
  version = contractVersion
}: OpenApiOptions = {}): OpenApiDocument => {
  const derived = OpenApi.fromApi(documented)
  const aliases = findAliases(derived.components.schemas)
  const operations = listOperations(derived, aliases)
  const shared = sharedResponses(operations.map(({ operation }) => operation))
  const paths: { [path: string]: PathItem } = {}
  for (const { path, method, operation } of operations)
    paths[path] = { ...paths[path], [method]: referToShared(operation, shared) }
  return {
    openapi: "3.1.0",
    info: {
      title: "Souk",
      version,
      summary: "A marketplace for software agents",
      description,
      license: { name: "MIT", identifier: "MIT" }
    },
    servers: [{ url: serverUrl }],
    tags: [...derived.tags.map(({ name, description = "" }) => ({ name, description })), systemTag],
    paths: { ...paths, ...systemPaths },
    components: {
      schemas: tidyComponents(derived, aliases, operations),
      responses: Object.fromEntries([...shared].map(([status, response]) => [nameOf(status), response])),
      headers,
      securitySchemes: derived.components.securitySchemes
    }
  }
}

/** The contract with the schemas that no operation of it names. */
const documented = SoukApi.annotate(HttpApi.AdditionalSchemas, [
  failures.MethodNotAllowed,
  failures.SchemaOutOfDate,
  StreamPosition
])

/** Their names, and that of the events that the stream carries. */
const additional = ["MethodNotAllowed", "SchemaOutOfDate", "StreamPosition", "Event"]

interface Placed {
  readonly path: string
  readonly method: keyof PathItem
  readonly operation: Operation
}

const methods = ["get", "post", "patch", "put", "delete"] as const

const listOperations = (
  derived: OpenApi.OpenAPISpec,
  aliases: ReadonlyMap<string, string>
): ReadonlyArray<Placed> => {
  const keys = readKeys()
  return Object.entries(derived.paths).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = item[method]
      if (operation === undefined) return []
      const context: OperationContext = {
        key: keys.get(operation.operationId) ?? "none",
        writes: method !== "get",
        components: derived.components.schemas,
        aliases
      }
      return [{ path, method, operation: toOperation(operation, context) }]
    })
  )
}

/** Whether each operation reads a key: Effect's document does not tell a welcome key from a needed one. */
const readKeys = (): ReadonlyMap<string, OperationContext["key"]> => {
  const keys = new Map<string, OperationContext["key"]>()
  HttpApi.reflect(documented, {
    onGroup: () => {},
    onEndpoint: ({ group, endpoint, middleware }) => {
      const used = new Set([...middleware].map(({ key }) => key))
      const key = used.has(RequireKey.key) ? "required" : used.has(OptionalKey.key) ? "optional" : "none"
      keys.set(`${group.identifier}.${endpoint.identifier}`, key)
    }
  })
  return keys
}

/** The components that the document refers to; those that Effect needs for itself are left out. */
const tidyComponents = (
  derived: OpenApi.OpenAPISpec,
  aliases: ReadonlyMap<string, string>,
  operations: ReadonlyArray<Placed>
): Schemas => {
  const single = Object.entries(derived.components.schemas)
    .filter(([name]) => !aliases.has(name))
    .map(([name, schema]) => [name, tidy(schema, { open: false, aliases })] as const)
  const schemas = Object.fromEntries(single)
  const sent = reachable(
    operations.map(({ operation }) => operation.requestBody),
    schemas
  )
  const used = reachable([operations, additional.map(refTo)], schemas)
  return Object.fromEntries(
    single
      .filter(([name]) => used.has(name))
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([name, schema]) => [name, sent.has(name) ? schema : tidy(schema, { open: true, aliases })])
  )
}

// -----------------------------------------------------------------------------
// Responses that are the same wherever they occur
// -----------------------------------------------------------------------------

const nameOf = (status: string): string => statuses[status]?.name ?? `Status${status}`

const sharedResponses = (operations: ReadonlyArray<Operation>): ReadonlyMap<string, Response> => {
  const found = new Map<string, Set<string>>()
  const first = new Map<string, Response>()
  for (const { responses } of operations)
    for (const [status, response] of Object.entries(responses)) {
      if ("$ref" in response || Number(status) < 300) continue
      found.set(status, (found.get(status) ?? new Set()).add(JSON.stringify(response)))
      if (!first.has(status)) first.set(status, response)
    }
  return new Map([...first].filter(([status]) => found.get(status)?.size === 1))
}

const referToShared = (operation: Operation, shared: ReadonlyMap<string, Response>): Operation => ({
  ...operation,
  responses: Object.fromEntries(
    Object.entries(operation.responses).map(([status, response]) => [
      status,
      shared.has(status) ? { $ref: `#/components/responses/${nameOf(status)}` } : response
    ])
  )
})
