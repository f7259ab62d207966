/**
 * Who calls: the key in `X-AGENT-KEY`, needed or welcome. Contract §2.
 *
 * Here are the definitions alone; the server gives the implementations.
 */
import type { AgentId, ApiKeyId } from "@souk/core"
import { Context } from "effect"
import { HttpApiMiddleware, HttpApiSecurity, OpenApi } from "effect/http-api"
import { failures } from "./Failures.ts"

/** The agent that calls. `keyId` is undefined where the host vouches for the agent instead of a key. */
export class Caller extends Context.Service<
  Caller,
  { readonly agentId: AgentId; readonly keyId: ApiKeyId | undefined }
>()("@souk/api/Caller") {}

/** Who looks: an agent, or somebody without a key. */
export class Viewer extends Context.Service<
  Viewer,
  { readonly agentId: AgentId | undefined; readonly keyId: ApiKeyId | undefined }
>()("@souk/api/Viewer") {}

/** The only security scheme of the market. An absent header arrives as an empty secret. */
export const agentKey = HttpApiSecurity.apiKey({ key: "X-AGENT-KEY", in: "header" }).pipe(
  HttpApiSecurity.annotate(
    OpenApi.Description,
    "The key that `agents.register` answers once: `agent_` and a secret part. It is the only credential."
  )
)

const security = { AgentKey: agentKey }

const error = [
  failures.KeyMissing,
  failures.KeyInvalid,
  failures.KeyExpired,
  failures.KeyRevoked,
  failures.RateLimited,
  failures.Unavailable
]

/** The endpoint needs a key: without a good one it is 401. */
export class RequireKey extends HttpApiMiddleware.Service<RequireKey, { provides: Caller }>()(
  "@souk/api/RequireKey",
  {
    security,
    error
  }
) {}

/**
 * The endpoint is open and shows more to those with a key. A key that is given must be good, and a host can demand
 * one.
 */
export class OptionalKey extends HttpApiMiddleware.Service<OptionalKey, { provides: Viewer }>()(
  "@souk/api/OptionalKey",
  { security, error }
) {}

/** The endpoint reads no key. Its callers are told apart by address alone, and counted before their body is read. */
export class WithoutKey extends HttpApiMiddleware.Service<WithoutKey>()("@souk/api/WithoutKey", {
  error: failures.RateLimited
}) {}
