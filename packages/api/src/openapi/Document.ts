/** The parts of an OpenAPI 3.1 document that the market uses. */
import type { JsonSchema } from "effect/JsonSchema"

interface Reference {
  readonly $ref: string
}

export interface Example {
  readonly summary: string
  readonly value: unknown
}

export interface MediaType {
  readonly schema: JsonSchema
  readonly examples?: { readonly [name: string]: Example }
}

export interface Header {
  readonly description: string
  readonly schema: JsonSchema
}

export interface Parameter {
  readonly name: string
  readonly in: "query" | "header" | "path" | "cookie"
  readonly description: string
  readonly required: boolean
  readonly schema: JsonSchema
}

export interface Response {
  readonly description: string
  readonly headers?: { readonly [name: string]: Header | Reference }
  readonly content?: { readonly [mediaType: string]: MediaType }
}

export interface RequestBody {
  readonly required: boolean
  readonly content: { readonly [mediaType: string]: MediaType }
}

export interface Operation {
  readonly operationId: string
  readonly tags: ReadonlyArray<string>
  readonly summary: string
  readonly description: string
  readonly security: ReadonlyArray<{ readonly [scheme: string]: ReadonlyArray<string> }>
  readonly parameters: ReadonlyArray<Parameter>
  readonly requestBody?: RequestBody
  readonly responses: { readonly [status: string]: Response | Reference }
}

export type PathItem = { readonly [Method in "get" | "post" | "patch" | "put" | "delete"]?: Operation }

/** The OpenAPI 3.1 document of the market. */
export interface OpenApiDocument {
  readonly openapi: "3.1.0"
  readonly info: {
    readonly title: string
    readonly version: string
    readonly summary: string
    readonly description: string
    readonly license: { readonly name: string; readonly identifier: string }
  }
  readonly servers: ReadonlyArray<{ readonly url: string }>
  readonly tags: ReadonlyArray<{ readonly name: string; readonly description: string }>
  readonly paths: { readonly [path: string]: PathItem }
  readonly components: {
    readonly schemas: { readonly [name: string]: JsonSchema }
    readonly responses: { readonly [name: string]: Response }
    readonly headers: { readonly [name: string]: Header }
    readonly securitySchemes: { readonly [name: string]: object }
  }
}
