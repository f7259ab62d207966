/**
 * In which manner a write is made: plainly, for validation only, with an Idempotency-Key, or with `If-Match`; and what
 * the contract says of each whatever is written. Contract §1.
 */
import { assert } from "@effect/vitest"
import { DateTime, Effect } from "effect"
import { DealRooms, Listings, Quotes, Requests, Rfqs } from "../../src/index.ts"
import type { AgentId, WriteOptions } from "../../src/index.ts"
import { oneOf, Visit } from "./world.ts"
import type { Services, World } from "./world.ts"

/** Numbers from which a step draws who, what, how, in which manner, and at which node. */
export interface Draw {
  readonly who: number
  readonly which: number
  readonly how: number
  readonly manner: number
  readonly where: number
}

export interface Refused {
  readonly code: string
}

/** Done, refused with a code, or without anything to act on. */
export type Step = (world: World, draw: Draw) => Effect.Effect<unknown, Refused, Services> | undefined

type Write<A> = (
  options: WriteOptions
) => Effect.Effect<{ readonly value: A; readonly replayed: boolean }, Refused, Services>

const manners = [
  "plain",
  "plain",
  "plain",
  "plain",
  "plain",
  "plain",
  "once",
  "once again",
  "other body",
  "validate only",
  "present version",
  "other version"
] as const

/** What was drawn for a write that only looked: it has done nothing, as if it had been refused. */
const onlyLooked: Refused = { code: "only_looked" }

/** Makes a write of an agent in the manner that was drawn; `subject` is what `If-Match` is about. */
export const act = Effect.fnUntraced(function* <A>(
  world: World,
  draw: Draw,
  by: AgentId,
  write: Write<A>,
  subject?: string
) {
  const manner = oneOf(manners, draw.manner)
  world.mood.moderation = oneOf(
    ["allows", "allows", "allows", "allows", "allows", "allows", "holds", "holds", "refuses", "fails"],
    Math.floor(draw.manner / manners.length)
  )
  const told = Effect.fnUntraced(function* (options: WriteOptions) {
    const isDraft = options.validateOnly === true
    const say = (what: unknown) => Effect.sync(() => void world.said.push({ to: by, what, isDraft }))
    return yield* write(options).pipe(
      Effect.tap(({ value }) => say(value)),
      Effect.tapError(say)
    )
  })
  switch (manner) {
    case "plain":
      return (yield* told({})).value
    case "validate only":
      yield* told({ validateOnly: true })
      return yield* Effect.fail(onlyLooked)
    case "present version": {
      const version = subject === undefined ? undefined : yield* versionOf(world, by, subject)
      const refused = ({ code }: Refused) =>
        Effect.sync(() => assert.notStrictEqual(code, "version_conflict", "If-Match named the present one"))
      return (yield* told({ ifMatch: version }).pipe(Effect.tapError(refused))).value
    }
    case "other version": {
      if (subject === undefined) return (yield* told({})).value
      yield* told({ ifMatch: 1_000_000 })
      return assert.fail(`a write to ${subject} was meant for another version`)
    }
    case "once":
    case "once again":
    case "other body": {
      const idempotency = { scope: `${by} here`, key: `key ${world.counter.next++}`, bodyDigest: "a body" }
      const first = yield* told({ idempotency })
      assert.isFalse(first.replayed)
      const again = sameAgain(write, { idempotency }, first.value)
      if (manner === "once")
        world.kept.push({ until: DateTime.add(yield* DateTime.now, { hours: 24 }), again })
      if (manner === "once again") yield* again()
      if (manner === "other body") {
        const other = { idempotency: { ...idempotency, bodyDigest: "another body" } }
        yield* unchanged(
          world,
          Effect.matchEffect(write(other), {
            onFailure: ({ code }) =>
              Effect.sync(() => assert.strictEqual(code, "idempotency_key_reused", "another body")),
            onSuccess: () => Effect.sync(() => assert.fail("the key was used with another body"))
          })
        )
      }
      return first.value
    }
  }

  function sameAgain<A>(write: Write<A>, options: WriteOptions, value: A) {
    return () =>
      unchanged(
        world,
        Effect.map(write(options), (second) => {
          assert.isTrue(second.replayed, "the same key was used again")
          assert.deepStrictEqual(plain(second.value), plain(value), "the first reply is given again")
        })
      )
  }
})

const plain = (value: unknown): unknown => JSON.parse(JSON.stringify(value))

/** Expects that nothing is committed by it. */
const unchanged = <A, E, R>(world: World, effect: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Visit, ({ step }) => {
    const count = () => world.deeds.filter((deed) => deed.step === step).length
    const before = count()
    return Effect.tap(effect, () =>
      Effect.sync(() => assert.strictEqual(count(), before, "nothing was changed"))
    )
  })

/** The version of something as one who may see it reads it now. */
const versionOf = Effect.fnUntraced(function* (world: World, viewer: AgentId, id: string) {
  const { agents, keys, listings, matches, quotes, requests, rfqs, rooms, tasks, webhooks } = world.ledger
  const stored = agents.get(id) ?? keys.get(id) ?? matches.get(id) ?? tasks.get(id) ?? webhooks.get(id)
  if (stored !== undefined) return stored.version
  const [listing, request, rfq] = [listings.get(id), requests.get(id), rfqs.get(id)]
  const [quote, room] = [quotes.get(id), rooms.get(id)]
  const services = yield* Effect.all([Listings, Requests, Rfqs, Quotes, DealRooms])
  const reads: ReadonlyArray<Effect.Effect<{ readonly version: number }, Refused> | undefined> = [
    listing && services[0].get(viewer, listing.id),
    request && services[1].get(viewer, request.id),
    rfq && services[2].get(viewer, rfq.id),
    quote && services[3].get(viewer, quote.id),
    room && services[4].get(viewer, room.id)
  ]
  const read = reads.find((read) => read !== undefined)
  return (
    read && (yield* Effect.match(read, { onFailure: () => undefined, onSuccess: ({ version }) => version }))
  )
})
