/**
 * @souk/client/effect: the client for those who use Effect, with the contract's own schemas and errors.
 *
 * It is `HttpApiClient` on `SoukApi`, with the key, an Idempotency-Key for each write and further attempts put around
 * the `HttpClient`, and the events as a stream that resumes. Failures are the tagged classes of `@souk/core`.
 *
 * @example
 * ```ts
 * import { SoukClient } from "@souk/client/effect"
 * import { Effect } from "effect"
 * import { FetchHttpClient } from "effect/http"
 *
 * const program = Effect.gen(function* () {
 *   const souk = yield* SoukClient.make({ baseUrl: "https://market.example" })
 *   return yield* souk.listings.list({ query: { tag: "legal" } })
 * }).pipe(Effect.provide(FetchHttpClient.layer))
 * ```
 */
export * as SoukClient from "./SoukClient.ts"
