/** The operations that the server has beside the contract: whether it lives, and whether it is ready to serve. */
import type { Operation, PathItem } from "./Document.ts"
import { refTo } from "./schemas.ts"

const status = (word: string) => ({
  type: "object",
  properties: {
    ok: { type: "boolean", enum: [true] },
    data: { type: "object", properties: { status: { type: "string", enum: [word] } }, required: ["status"] }
  },
  required: ["ok", "data"]
})

const probe = (name: string, summary: string, description: string, word: string): Operation => ({
  operationId: `system.${name}`,
  tags: ["system"],
  summary,
  description,
  security: [],
  parameters: [],
  responses: {
    200: { description: "Yes.", content: { "application/json": { schema: status(word) } } },
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
      "Tells whether the market can serve: its store is there and up to date.",
      "ready"
    )
  }
}
