/** Two nodes on one database, both of which can be killed, and callers who go on with whoever is up. */
import { Effect, Random } from "effect"
import type { Scope } from "effect"
import type { Postgres } from "../../../../test/Postgres.ts"
import { codeOf, send, Unanswered } from "../Caller.ts"
import type { Call, Reply } from "../Caller.ts"
import { run, start } from "../Server.ts"
import type { Server, Settings } from "../Server.ts"

/** A call that was answered, and the answer. */
interface Answered {
  readonly call: Call
  readonly reply: Reply
}

export interface Cluster {
  /** The address of a node that is up, as far as one knows. */
  readonly someUrl: Effect.Effect<string>
  /** The addresses of all nodes. */
  readonly urls: () => ReadonlyArray<string>
  /** Kills a node, and starts another in its place. */
  readonly killNode: Effect.Effect<void, never, Scope.Scope>
  /** Ends the database at once, and starts it again. */
  readonly crashDatabase: Effect.Effect<void>
  /** Does both: the node dies while the database is away. */
  readonly crashBoth: Effect.Effect<void, never, Scope.Scope>
  /** Sends a call with an Idempotency-Key, to one node and then another, until it is done. */
  readonly place: (call: Call) => Effect.Effect<Reply>
  /** What `place` was answered, oldest first. */
  readonly answered: ReadonlyArray<Answered>
}

/** What leaves open whether it was done, or tells that it was not: who asks again with the same key learns it. */
const isOpen = (reply: Reply): boolean =>
  reply.status >= 400 &&
  ["unavailable", "timeout", "conflict", "idempotency_in_flight"].includes(codeOf(reply))

const patience = "5 seconds"

/** Starts two nodes on a new schema. */
export const startCluster = Effect.fnUntraced(function* (postgres: Postgres, settings: Settings) {
  yield* run(["migrate"], { settings })
  const nodes: Array<Server> = [
    ...(yield* Effect.all([start(settings), start(settings)], { concurrency: 2 }))
  ]
  const up = new Set(nodes)
  const answered: Array<Answered> = []

  const someUrl: Effect.Effect<string> = Effect.suspend(() =>
    Effect.matchEffect(Random.choice([...up]), {
      onFailure: () => Effect.andThen(Effect.sleep("20 millis"), someUrl),
      onSuccess: ({ url }) => Effect.succeed(url)
    })
  )

  const pause = Effect.flatMap(Random.nextIntBetween(0, 300), (millis) => Effect.sleep(millis))

  const kill = Effect.gen(function* () {
    const place = yield* Random.nextIntBetween(0, nodes.length - 1)
    const node = nodes[place]
    if (node === undefined) return place
    // Callers find out for themselves.
    yield* node.kill
    up.delete(node)
    return place
  })

  const replace = Effect.fnUntraced(function* (place: number) {
    const node = yield* start(settings)
    nodes[place] = node
    up.add(node)
  })

  const away = Effect.promise(() => postgres.crash())
  const back = Effect.promise(() => postgres.start())

  const attempt = (call: Call) =>
    Effect.flatMap(someUrl, (url) =>
      Effect.timeoutOrElse(send(url, call), {
        duration: patience,
        orElse: () => Effect.fail(new Unanswered({ cause: patience }))
      })
    )

  const place = Effect.fnUntraced(function* (call: Call) {
    for (;;) {
      const reply = yield* Effect.catchTag(attempt(call), "Unanswered", () => Effect.undefined)
      if (reply !== undefined && !isOpen(reply)) {
        if (reply.status >= 300) throw new Error(`${call.path} was answered ${reply.status} ${reply.text}`)
        answered.push({ call, reply })
        return reply
      }
      yield* Effect.sleep(yield* Random.nextIntBetween(10, 100))
    }
  })

  const cluster: Cluster = {
    someUrl,
    urls: () => nodes.map(({ url }) => url),
    killNode: Effect.gen(function* () {
      const place = yield* kill
      yield* pause
      yield* replace(place)
    }),
    crashDatabase: Effect.gen(function* () {
      yield* away
      yield* pause
      yield* back
    }),
    crashBoth: Effect.gen(function* () {
      yield* away
      yield* pause
      const place = yield* kill
      yield* back
      yield* replace(place)
    }),
    place,
    answered
  }
  return cluster
})
