/** The operations that the server has beside the contract: whether it lives, and whether it is ready to serve. */
import type { JsonSchema } from "effect/JsonSchema"
import type { Operation, PathItem } from "./Document.ts"
import { refTo } from "./schemas.ts"

type Properties = Readonly<Record<string, JsonSchema>>

const object = (properties: Properties): JsonSchema => ({
  type: "object",
  properties,
  required: Object.keys(properties)
})

const status = (word: string, more: Properties) =>
  object({
    ok: { type: "boolean", enum: [true] },
    data: object({ status: { type: "string", enum: [word] }, ...more })
  })

const sweep = object({
  overdue: {
    type: "integer",
    minimum: 0,
    description: "Entities whose deadline has come and is not written down yet."
  },
  lagSeconds: { type: "integer", minimum: 0, description: "For how long the first of them has waited." }
})

const probe = (
  name: string,
  summary: string,
  description: string,
  word: string,
  more: Properties = {}
): Operation => ({
  operationId: `system.${name}`,
  tags: ["system"],
  summary,
  description,
  security: [],
  parameters: [],
  responses: {
    200: { description: "Yes.", content: { "application/json": { schema: status(word, more) } } },
    503: {
      description: "No: `unavailable`, `schema_out_of_date`.",
      content: { "application/json": { schema: { anyOf: [refTo("Unavailable"), refTo("SchemaOutOfDate")] } } }
    }
  }
})

export const systemTag = { name: "system", description: "Probes for whoever runs the market." }

export const systemPaths: { readonly [path: string]: PathItem } = {
  "/livez": { get: probe("live", "Does it live?", "Tells whether the process answers at all.", "live") },
  "/readyz": {
    get: probe(
      "ready",
      "Is it ready?",
      "Tells whether the market can serve: its store is there and up to date. `sweep` tells what time has done and nobody has written down yet; readers see it all the same.",
      "ready",
      { sweep }
    )
  }
}
