/** Rewrites the operations that Effect derives: what it cannot know is said, and what only it needs is left out. */
import type { OpenApi } from "effect/http-api"
import type { JsonSchema } from "effect/JsonSchema"
import type { MediaType, Operation, Parameter, RequestBody, Response } from "./Document.ts"
import { examples } from "./examples.ts"
import { headers, parameters, statuses } from "./prose.ts"
import { isRecord, refOf, tidy } from "./schemas.ts"
import type { Schemas, Tidying } from "./schemas.ts"

/** What an operation is made with beside what Effect derived. */
export interface OperationContext {
  /** Whether the operation reads a key, and whether it needs one. */
  readonly key: "required" | "optional" | "none"
  readonly writes: boolean
  readonly components: Schemas
  readonly aliases: Tidying["aliases"]
}

/** The operation as the document shows it. */
export const toOperation = (derived: OpenApi.OpenAPISpecOperation, context: OperationContext): Operation => {
  const { operationId, tags, summary = "", description = "" } = derived
  const requestBody = toRequestBody(derived, context)
  const isConditional = derived.parameters.some((parameter) => parameter.name === "if-none-match")
  const responses = Object.entries(derived.responses).map(
    ([status, response]) => [status, toResponse(status, response, context)] as const
  )
  return {
    operationId,
    tags,
    summary,
    description,
    security: context.key === "optional" ? [{}, ...derived.security] : derived.security,
    parameters: derived.parameters.map((parameter) => toParameter(parameter, context)),
    ...(requestBody === undefined ? {} : { requestBody }),
    responses: Object.fromEntries(isConditional ? [...responses, ["304", notModified]] : responses)
  }
}

const toParameter = (derived: OpenApi.OpenAPISpecParameter, { aliases }: OperationContext): Parameter => {
  const {
    name = derived.name,
    description = "",
    schema = { ...derived.schema }
  } = parameters[derived.name] ?? {}
  return {
    name,
    in: derived.in,
    description,
    required: derived.required,
    schema: tidy(schema, { open: false, aliases })
  }
}

/** A body that can be left out is a choice with null to Effect; one that can only be empty is not worth a word. */
const toRequestBody = (
  derived: OpenApi.OpenAPISpecOperation,
  { aliases }: OperationContext
): RequestBody | undefined => {
  const schema = derived.requestBody?.content["application/json"]?.schema
  if (schema === undefined) return undefined
  const choices = Array.isArray(schema["anyOf"]) ? schema["anyOf"].filter(isRecord) : []
  const [body = schema] = choices.filter((choice) => choice["type"] !== "null")
  if (isEmptyObject(body)) return undefined
  const media = {
    schema: tidy({ ...body }, { open: false, aliases }),
    examples: examples[derived.operationId] ?? {}
  }
  return {
    required: !choices.some((choice) => choice["type"] === "null"),
    content: { "application/json": media }
  }
}

const isEmptyObject = (schema: { readonly [key: string]: unknown }): boolean =>
  schema["type"] === "object" &&
  schema["properties"] === undefined &&
  schema["additionalProperties"] === false

const toResponse = (
  status: string,
  derived: OpenApi.OpenApiSpecResponse,
  context: OperationContext
): Response => {
  const content = Object.entries(derived.content ?? {}).map(
    ([type, media]) => [type, toMedia(type, media.schema, context)] as const
  )
  return {
    description: describeResponse(status, derived, context.components),
    headers: toHeaders(status, derived, context),
    ...(content.length === 0 ? {} : { content: Object.fromEntries(content) })
  }
}

const toMedia = (type: string, schema: JsonSchema, { aliases }: OperationContext): MediaType =>
  type === "text/event-stream"
    ? { schema: { type: "string", description: streamFormat }, examples: { stream: streamExample } }
    : { schema: tidy(schema, { open: true, aliases }) }

const streamFormat =
  "Server-sent events. First `stream.ready`, whose data is a StreamPosition; then each event with its cursor as `id`, its type as `event` and an Event as `data`. A cursor that is too old gets one `stream.reset` with the cursor to go on from. Comments keep the connection alive."

const streamExample = {
  summary: "The first lines of a stream",
  value:
    'retry: 3000\nevent: stream.ready\ndata: {"cursor":"41"}\n\nid: 42\nevent: listing.published\ndata: {"id":"evt_01jd8wq0z7f3mbk5r2v6txn4ce","type":"listing.published","at":"2030-01-31T12:00:00.000Z","actorId":"agt_01jd8wq0z7f3mbk5r2v6txn4ce","subject":{"kind":"listing","id":"lst_01jd8wq0z7f3mbk5r2v6txn4ce","version":1},"data":{}}\n\n'
}

const describeResponse = (
  status: string,
  derived: OpenApi.OpenApiSpecResponse,
  components: Schemas
): string => {
  const text = statuses[status]?.text ?? derived.description
  const codes = codesOf(derived.content?.["application/json"]?.schema ?? {}, components)
  return codes.length === 0 ? text : `${text}: ${codes.map((code) => `\`${code}\``).join(", ")}.`
}

/** The error codes of a schema of failures. */
const codesOf = (schema: JsonSchema, components: Schemas): ReadonlyArray<string> => {
  const choices = Array.isArray(schema["anyOf"]) ? schema["anyOf"].filter(isRecord) : [schema]
  return choices.flatMap((choice) => {
    const code = at(
      components[refOf({ ...choice }) ?? ""],
      "properties",
      "error",
      "properties",
      "code",
      "enum",
      "0"
    )
    return typeof code === "string" ? [code] : []
  })
}

const at = (value: unknown, ...path: ReadonlyArray<string>): unknown =>
  path.reduce<unknown>(
    (inner, key) => (typeof inner === "object" && inner !== null ? Reflect.get(inner, key) : undefined),
    value
  )

type HeaderName = keyof typeof headers

const headerNames: { readonly [Name in HeaderName]: string } = {
  RequestId: "Request-Id",
  ETag: "ETag",
  Location: "Location",
  IdempotentReplayed: "Idempotent-Replayed",
  RateLimit: "RateLimit",
  RateLimitPolicy: "RateLimit-Policy",
  RetryAfter: "Retry-After"
}

const referTo = (names: ReadonlyArray<HeaderName>) =>
  Object.fromEntries(names.map((name) => [headerNames[name], { $ref: `#/components/headers/${name}` }]))

const always: ReadonlyArray<HeaderName> = ["RequestId", "RateLimit", "RateLimitPolicy"]

const toHeaders = (status: string, derived: OpenApi.OpenApiSpecResponse, { writes }: OperationContext) => {
  const given = Object.keys(derived.headers ?? {})
  const succeeds = status.startsWith("2")
  return referTo([
    ...always,
    ...(given.includes("etag") ? (["ETag"] as const) : []),
    ...(given.includes("location") ? (["Location"] as const) : []),
    ...(succeeds && writes ? (["IdempotentReplayed"] as const) : []),
    ...(["409", "429", "503"].includes(status) ? (["RetryAfter"] as const) : [])
  ])
}

const notModified: Response = {
  description: statuses["304"]?.text ?? "",
  headers: referTo([...always, "ETag"])
}
