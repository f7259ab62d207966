/** For which agent the host itself calls, from inside its process: it needs no key, and no rate limit counts it. */
import { Context } from "effect"

/** The agent's id as the host gave it; undefined for requests from the world. */
export const ActingAs = Context.Reference<string | undefined>("@souk/server/http/ActingAs", {
  defaultValue: () => undefined
})
