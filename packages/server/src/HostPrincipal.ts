/** The host's own login for hosts that know no Effect: a function of the request, and of what the host made of it. */
import { Context, Effect } from "effect"
import type { HttpServerRequest } from "effect/http"
import type { Identity, Principal } from "./http/HostLogin.ts"

export type { Identity } from "./http/HostLogin.ts"

/** What a principal is shown of a request. The body stays unread. */
export interface PrincipalRequest {
  readonly method: string
  /** Path and query, as they reached the market. */
  readonly url: string
  readonly headers: Headers
}

/** What a principal answers: an agent's id, alone or with the end of the login; nothing where nobody is logged in. */
export type PrincipalAnswer = string | Identity | null | undefined

export interface HostPrincipal {
  /**
   * Tells whom the host's own login stands for, where a request comes without a key: the id of an agent of this market,
   * or nothing.
   *
   * `host` is what the framework made of the request, and what your middleware has left on it: the request of Express,
   * Fastify, Nest and `node:http`, the context of Koa and Hono, the `Request` of Next, or what `fetch` was given.
   * Annotate it with that type: `principal: (_, host: express.Request) => host.user?.agentId`.
   *
   * An answer of another form, a rejection and ten seconds of silence are 503 `unavailable`, and logged.
   */
  principal?(request: PrincipalRequest, host: unknown): PrincipalAnswer | PromiseLike<PrincipalAnswer>
  /**
   * Other origins whose pages may write with a login, like `https://app.example.com`. That of the market itself always
   * may, and those of other sites never: a browser would send the login along, whoever asks.
   */
  readonly trustedOrigins?: ReadonlyArray<string>
}

/** What the host gave with the current request. */
export const GivenHost = Context.Reference<unknown>("@souk/server/HostPrincipal/GivenHost", {
  defaultValue: () => undefined
})

/** The same for the routes. */
export const make = (host: HostPrincipal): Principal | undefined =>
  host.principal === undefined
    ? undefined
    : (request) =>
        Effect.flatMap(GivenHost, (given) =>
          Effect.tryPromise({
            try: async () => host.principal?.(viewOf(request), given),
            catch: (error) => error
          })
        )

// -----------------------------------------------------------------------------

const viewOf = ({ headers, method, originalUrl }: HttpServerRequest.HttpServerRequest): PrincipalRequest => ({
  method,
  url: originalUrl.replace(/^[a-z]+:\/\/[^/?#]*/iu, ""),
  headers: new Headers(headers)
})
