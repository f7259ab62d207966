/** By whom a request is that the host itself makes, from inside its process: no key is needed, no rate limit counts. */
import { Context } from "effect"

/** An agent's id as the host gave it, or the operator; undefined for requests from the world. */
export const ActingAs = Context.Reference<string | undefined>("@souk/server/http/ActingAs", {
  defaultValue: () => undefined
})
