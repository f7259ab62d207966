/** The OpenAPI document as a judge: what it says of a reply. */
import { openApiDocument } from "@souk/api"
import addFormats from "ajv-formats"
import { Ajv2020 } from "ajv/dist/2020.js"
import { at, fieldsOf, textAt } from "./market.ts"
import type { Reply } from "./market.ts"

const document: unknown = JSON.parse(JSON.stringify(openApiDocument()))

const ajv = new Ajv2020({ strict: false, allErrors: true, logger: false })
// `email` and `uri` are hints in the document: the market takes international addresses as well.
addFormats.default(ajv, ["date-time"])
ajv.addSchema({ ...Object.fromEntries(fieldsOf(document)), $id: "souk:document" })

interface Operation {
  readonly method: string
  readonly path: string
  /** Where it stands in the document. */
  readonly place: ReadonlyArray<string>
  /** Bodies that the document shows, by name. */
  readonly examples: ReadonlyArray<readonly [name: string, body: unknown]>
}

/** Every operation by its id. */
export const operations: ReadonlyMap<string, Operation> = new Map(
  fieldsOf(at(document, "paths")).flatMap(([path, item]) =>
    fieldsOf(item).map(([method, operation]): [string, Operation] => [
      textAt(operation, "operationId"),
      {
        method: method.toUpperCase(),
        path,
        place: ["paths", path, method],
        examples: fieldsOf(at(operation, "requestBody", "content", "application/json", "examples")).map(
          ([name, example]) => [name, at(example, "value")]
        )
      }
    ])
  )
)

/** The place of a response in the document, behind a reference to a shared one. */
const placeOf = (operationId: string, status: number): ReadonlyArray<string> => {
  const own = [...(operations.get(operationId)?.place ?? []), "responses", `${status}`]
  const ref = at(document, ...own, "$ref")
  return typeof ref === "string" ? ref.replace("#/", "").split("/") : own
}

const toPointer = (place: ReadonlyArray<string>) =>
  place.map((key) => encodeURIComponent(key.replaceAll("~", "~0").replaceAll("/", "~1"))).join("/")

const judgedHeaders = ["Request-Id", "ETag", "Location"]

/** What of a reply is not as the document says. */
export const lies = (operationId: string, reply: Reply): ReadonlyArray<string> => {
  const place = placeOf(operationId, reply.status)
  const response = at(document, ...place)
  if (response === undefined) return [`${reply.status} is not described`]
  const missing = fieldsOf(at(response, "headers"))
    .map(([name]) => name)
    .filter((name) => judgedHeaders.includes(name) && !reply.headers.has(name))
    .map((name) => `${name} is missing`)
  const content = at(response, "content")
  if (content === undefined) return reply.text === "" ? missing : [...missing, "there is a body"]
  const type = reply.headers.get("content-type") ?? "none"
  if (at(content, type) === undefined) return [...missing, `the media type ${type} is not described`]
  if (type !== "application/json") return missing
  const validate = ajv.getSchema(`souk:document#/${toPointer([...place, "content", type, "schema"])}`)
  if (validate === undefined) return [...missing, "there is no schema"]
  validate(reply.body)
  const errors = validate.errors ?? []
  return [...missing, ...errors.map(({ instancePath, message }) => `${instancePath} ${message}`)]
}
