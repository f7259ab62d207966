/**
 * What a request gets that does not fit the contract's schemas: 400 with the issues, or 404 for an id in the path
 * that cannot exist.
 */
import { InvalidJson, InvalidRequest, NotFound } from "@souk/core"
import type { Issue } from "@souk/core"
import { SchemaIssue } from "effect"
import type { Schema } from "effect"
import { HttpApiMiddleware } from "effect/http-api"
import type { HttpApiError } from "effect/http-api"
import { failures } from "./Failures.ts"

/** Stands around every endpoint; `HttpApiMiddleware.layerSchemaErrorTransform` implements it with `toRefusal`. */
export class SchemaErrors extends HttpApiMiddleware.Service<SchemaErrors>()("@souk/api/SchemaErrors", {
  error: failures.InvalidRequest
}) {}

/** The part of a request that did not fit. */
export type RequestPart = "Params" | "Headers" | "Query" | "Payload"

/**
 * The refusal of a request of which a part does not fit its schema, or `undefined` when it is the market's own reply
 * that does not: a defect.
 */
export const toRefusal = (
  error: HttpApiError.HttpApiSchemaError
): InvalidRequest | InvalidJson | NotFound | undefined => {
  switch (error.kind) {
    case "Params":
      return new NotFound({ message: "There is nothing with this id." })
    case "Headers":
    case "Query":
    case "Payload":
      return toInvalidRequest(error.kind, error.cause)
    case "Body":
    case "ResponseHeaders":
      return undefined
  }
}

/**
 * The refusal of a part of a request, with an issue for each thing that is wrong with it.
 *
 * Messages tell what was expected and never what came, since that may be a secret.
 */
export const toInvalidRequest = (
  part: RequestPart,
  error: Schema.SchemaError
): InvalidRequest | InvalidJson => {
  if (part === "Payload" && isUnreadable(error.issue))
    return new InvalidJson({ message: "The body is not JSON." })
  const found = formatIssues(error.issue).issues
  const issues = found.slice(0, maxIssues).map(({ path = [], message }): Issue => ({
    path: writePath(part, path),
    message: toPredicate(message, path.length)
  }))
  const [first = { path: part.toLowerCase(), message: "is not valid" }] = issues
  const more = found.length > 1 ? ` (and ${found.length - 1} more)` : ""
  return new InvalidRequest({ message: `${first.path} ${first.message}${more}`, issues })
}

/** A body with thousands of unknown fields gets an answer of bounded size. */
const maxIssues = 50
const maxPathLength = 256

/** HttpApi reports a body that `JSON.parse` refuses as a bare invalid value; a schema reports where it is wrong. */
const isUnreadable = (issue: SchemaIssue.Issue): boolean =>
  issue._tag === "InvalidValue" && issue.annotations?.["message"] === "Expected a valid JSON body"

/** What a caller calls the kinds of schema that it can miss; a `Never` stands for every name that is not known. */
const kinds: { readonly [tag: string]: string } = {
  Never: "is unknown",
  Objects: "must be an object",
  Arrays: "must be an array",
  String: "must be a string",
  Number: "must be a number",
  Boolean: "must be true or false"
}

const formatIssues = SchemaIssue.makeFormatterStandardSchemaV1({
  leafHook: (issue) => {
    switch (issue._tag) {
      case "MissingKey":
        return "is required"
      case "UnexpectedKey":
        return "is unknown"
      case "InvalidType":
        return kinds[issue.ast._tag] ?? SchemaIssue.defaultLeafHook(issue)
      default:
        return SchemaIssue.defaultLeafHook(issue)
    }
  }
})

/** Issues read as sentences about their path: `payload.title must be …`. Every part of a request is an object. */
const toPredicate = (message: string, depth: number): string =>
  depth === 0 && message.startsWith("Expected ")
    ? "must be an object"
    : message.replace(/^Expected /u, "must be ")

const writePath = (
  part: RequestPart,
  path: ReadonlyArray<PropertyKey | { readonly key: PropertyKey }>
): string => {
  const keys = path.map((segment) => String(typeof segment === "object" ? segment.key : segment))
  return [part.toLowerCase(), ...keys].join(".").slice(0, maxPathLength)
}
