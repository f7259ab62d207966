/** Reads an OpenAPI 3.1 document for people: operations by tag, with types in words and an example of each body. */
import { Predicate } from "effect"

interface ParameterView {
  readonly name: string
  readonly place: string
  readonly required: boolean
  readonly type: string
  readonly description: string
}

export interface BodyView {
  readonly mediaType: string
  readonly schema: unknown
  readonly example: unknown
}

export interface ResponseView {
  readonly status: string
  readonly description: string
  readonly body: BodyView | undefined
}

export interface OperationView {
  readonly id: string
  readonly method: string
  readonly path: string
  readonly summary: string
  readonly description: string
  readonly deprecated: boolean
  readonly needsKey: boolean
  readonly parameters: ReadonlyArray<ParameterView>
  readonly body: BodyView | undefined
  readonly responses: ReadonlyArray<ResponseView>
}

export interface TagView {
  readonly name: string
  readonly description: string
  readonly operations: ReadonlyArray<OperationView>
}

export interface FieldView {
  readonly name: string
  readonly required: boolean
  readonly type: string
  readonly description: string
}

export interface OpenApiView {
  readonly title: string
  readonly version: string
  readonly summary: string
  readonly description: string
  readonly server: string
  readonly tags: ReadonlyArray<TagView>
  readonly schemas: ReadonlyArray<{ readonly name: string; readonly schema: unknown }>
  /** The fields of an object, inside the envelope where there is one; none where the schema is no object. */
  readonly fieldsOf: (schema: unknown) => ReadonlyArray<FieldView>
}

/** Reads a document. What is missing or of another shape is left out, and nothing is thrown. */
export const read = (document: object): OpenApiView => {
  const reader: Reader = (schema) => resolve(document, schema)
  const operations = Object.entries(at(document, "paths")).flatMap(([path, item]) =>
    methods.flatMap((method) => {
      const operation = at(item, method)
      const inherited = listOf(at(item)["parameters"])
      return Object.keys(operation).length === 0
        ? []
        : [readOperation(reader, document, method, path, operation, inherited)]
    })
  )
  return {
    title: textOf(at(document, "info")["title"], "API"),
    version: textOf(at(document, "info")["version"]),
    summary: textOf(at(document, "info")["summary"]),
    description: textOf(at(document, "info")["description"]),
    server: textOf(at(listOf(at(document)["servers"])[0])["url"]).replace(/\/$/u, ""),
    tags: byTag(document, operations),
    schemas: Object.entries(at(document, "components", "schemas")).map(([name, schema]) => ({
      name,
      schema
    })),
    fieldsOf: (schema) => fieldsOf(reader, schema)
  }
}

/** The name of the schema that a reference points to. */
const referenced = (schema: unknown): string | undefined => {
  const target = at(schema)["$ref"]
  return Predicate.isString(target) ? target.split("/").at(-1) : undefined
}

/** Says a type in words: `array of Listing`, `"draft" or "active"`, `string (date-time)`. */
export const typeOf = (schema: unknown): string => {
  const name = referenced(schema)
  if (name !== undefined) return name
  const node = at(schema)
  const alternatives = [...listOf(node["anyOf"]), ...listOf(node["oneOf"])]
  if (alternatives.length > 0) return [...new Set(alternatives.map(typeOf))].join(" or ")
  if ("const" in node) return JSON.stringify(node["const"])
  if (Array.isArray(node["enum"])) return node["enum"].map((value) => JSON.stringify(value)).join(" or ")
  const parts = listOf(node["allOf"])
  if (node["type"] === undefined && parts.length > 0) return typeOf(parts[0])
  if (node["type"] === "array") return `array of ${typeOf(node["items"])}`
  const type = Array.isArray(node["type"]) ? node["type"].join(" or ") : textOf(node["type"], "any JSON")
  const format = textOf(node["format"])
  return format === "" ? type : `${type} (${format})`
}

// -----------------------------------------------------------------------------
// Operations
// -----------------------------------------------------------------------------

type Node = { readonly [key: string]: unknown }
type Reader = (schema: unknown) => Node
type Operation = OperationView & { readonly tags: ReadonlyArray<string> }

const methods = ["get", "post", "put", "patch", "delete"] as const

const readOperation = (
  reader: Reader,
  document: object,
  method: string,
  path: string,
  operation: Node,
  inherited: ReadonlyArray<unknown>
): Operation => {
  const security = operation["security"] ?? at(document)["security"]
  const [body] = bodiesOf(reader, reader(operation["requestBody"]))
  return {
    id: textOf(operation["operationId"], `${method}-${path}`),
    method: method.toUpperCase(),
    path,
    tags: listOf(operation["tags"]).filter(Predicate.isString),
    summary: textOf(operation["summary"]),
    description: textOf(operation["description"]),
    deprecated: operation["deprecated"] === true,
    needsKey: listOf(security).length > 0 && listOf(security).every((way) => Object.keys(at(way)).length > 0),
    parameters: [...inherited, ...listOf(operation["parameters"])].map((parameter) =>
      readParameter(reader(parameter))
    ),
    body,
    responses: Object.entries(at(operation, "responses")).map(([status, response]) => {
      const node = reader(response)
      return { status, description: textOf(node["description"]), body: bodiesOf(reader, node)[0] }
    })
  }
}

const readParameter = (parameter: Node): ParameterView => ({
  name: textOf(parameter["name"]),
  place: textOf(parameter["in"]),
  required: parameter["required"] === true,
  type: typeOf(parameter["schema"]),
  description: textOf(parameter["description"], textOf(at(parameter, "schema")["description"]))
})

const bodiesOf = (reader: Reader, holder: Node): ReadonlyArray<BodyView> =>
  Object.entries(at(holder, "content")).map(([mediaType, media]) => {
    const { schema, example, examples } = at(media)
    const given = example ?? at(reader(Object.values(at(examples))[0]))["value"]
    return { mediaType, schema, example: given ?? exampleOf(reader, schema, []) }
  })

/** Tags in the order of the document; what has none comes last. */
const byTag = (document: object, operations: ReadonlyArray<Operation>): ReadonlyArray<TagView> => {
  const described = listOf(at(document)["tags"]).map((tag) => at(tag))
  const named = described.map((tag) => textOf(tag["name"]))
  const names = new Set([...named, ...operations.map(({ tags }) => tags[0] ?? "Other")])
  return [...names].flatMap((name) => {
    const own = operations.filter(({ tags }) => (tags[0] ?? "Other") === name)
    const description = textOf(described.find((tag) => tag["name"] === name)?.["description"])
    return own.length === 0 ? [] : [{ name, description, operations: own }]
  })
}

// -----------------------------------------------------------------------------
// Schemas
// -----------------------------------------------------------------------------

const fieldsOf = (reader: Reader, schema: unknown): ReadonlyArray<FieldView> => {
  const node = reader(schema)
  const properties = at(node["properties"])
  const enveloped = "ok" in properties ? (properties["data"] ?? properties["error"]) : undefined
  if (enveloped !== undefined) return fieldsOf(reader, enveloped)
  const required = listOf(node["required"])
  const own = Object.entries(properties).map(([name, field]) => ({
    name,
    required: required.includes(name),
    type: typeOf(field),
    description: textOf(at(field)["description"], textOf(reader(field)["description"]))
  }))
  return [...own, ...listOf(node["allOf"]).flatMap((part) => fieldsOf(reader, part))]
}

/** Makes up a value that fits a schema, from its own examples where it has any. `within` stops at circles. */
const exampleOf = (reader: Reader, schema: unknown, within: ReadonlyArray<unknown>): unknown => {
  const node = reader(schema)
  const told =
    node["example"] ??
    listOf(node["examples"])[0] ??
    node["const"] ??
    listOf(node["enum"])[0] ??
    node["default"]
  if (told !== undefined || within.includes(node) || within.length > 8) return told ?? null
  const inner = [...within, node]
  const part = listOf(node["anyOf"])[0] ?? listOf(node["oneOf"])[0] ?? listOf(node["allOf"])[0]
  if (node["properties"] !== undefined) {
    const fields = Object.entries(at(node["properties"]))
    return Object.fromEntries(fields.map(([name, field]) => [name, exampleOf(reader, field, inner)]))
  }
  if (node["type"] === "array") return [exampleOf(reader, node["items"], inner)]
  if (part !== undefined && node["type"] === undefined) return exampleOf(reader, part, inner)
  return simplest[textOf(node["type"])] ?? null
}

const simplest: Readonly<Record<string, unknown>> = {
  string: "…",
  integer: 1,
  number: 1,
  boolean: true,
  object: {}
}

// -----------------------------------------------------------------------------
// Looking into JSON of any shape
// -----------------------------------------------------------------------------

const nothing: Node = {}

const at = (value: unknown, ...path: ReadonlyArray<string>): Node => {
  const [key, ...rest] = path
  if (!Predicate.isObject(value)) return nothing
  const node: Node = { ...value }
  return key === undefined ? node : at(node[key], ...rest)
}

const listOf = (value: unknown): ReadonlyArray<unknown> => (Array.isArray(value) ? value : [])

const textOf = (value: unknown, otherwise = ""): string => (Predicate.isString(value) ? value : otherwise)

/** Follows a reference into the document. */
const resolve = (document: object, schema: unknown): Node => {
  const target = at(schema)["$ref"]
  if (!Predicate.isString(target)) return at(schema)
  return resolve(document, at(document, ...target.replace(/^#\//u, "").split("/")))
}
