/** What the OpenAPI document says of an operation. */
import { OpenApi } from "effect/http-api"

/** A summary of a few words, and a description in whole sentences. */
export const describe = (summary: string, description: string) =>
  OpenApi.annotations({ summary, description })
