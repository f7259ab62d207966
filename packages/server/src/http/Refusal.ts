/** A refusal as an HTTP response: the envelope of the contract with its status. Contract §1, §7. */
import { type Failure, failureBody, failures, failureStatus } from "@souk/api"
import { Unavailable } from "@souk/core"
import { Effect, Schema } from "effect"
import { HttpServerResponse } from "effect/http"

/** Says whether something that failed is a refusal, which a caller may see. */
export const isRefusal: (failed: unknown) => failed is Failure = Schema.is(
  Schema.toType(Schema.Union(Object.values(failures)))
)

/** Answers with a refusal. A wait that it holds is told as `Retry-After` as well. */
export const reply = (refused: Failure): Effect.Effect<HttpServerResponse.HttpServerResponse> =>
  Effect.map(failureBody(refused), (body) =>
    HttpServerResponse.jsonUnsafe(body, {
      status: failureStatus(refused),
      headers: "retryAfterSeconds" in refused ? { "retry-after": `${refused.retryAfterSeconds}` } : {}
    })
  )

/** What a request gets that comes too late. */
export const stopping = Effect.suspend(() =>
  reply(new Unavailable({ message: "The server is stopping. Try again." }))
)
