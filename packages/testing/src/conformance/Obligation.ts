/** What a store owes the market, and the small language in which it is checked. */
import { assert } from "@effect/vitest"
import {
  Store,
  type Commit,
  type Page,
  type PageRequest,
  type StoredEvent,
  type Unavailable,
  type Write
} from "@souk/core"
import { Clock, Effect, Schedule } from "effect"
import { namedBy, standIn, type Named } from "./standIns.ts"

/** One thing that a store must do: its name, the sentence that says it, and the check on an empty store. */
export interface Obligation {
  readonly id: string
  readonly sentence: string
  readonly check: Effect.Effect<void, unknown, Store>
}

/** States an obligation. */
export const obligation = (
  id: string,
  sentence: string,
  check: () => Generator<Effect.Effect<unknown, unknown, Store>, void, never>
): Obligation => ({ id, sentence, check: Effect.gen(check) })

/** Commits what is given of a commit. What its writes name and nobody wrote has stand-ins put there first. */
export const commit = Effect.fnUntraced(function* (part: Partial<Commit>) {
  const store = yield* Store
  for (const named of namedBy(part.writes ?? [])) {
    if ((yield* find(store, named)) !== undefined) continue
    const write = standIn(named)
    // Stale where another was faster.
    yield* Effect.catchTag(
      store.commit({ writes: [write], reliesOn: [], events: [] }),
      "StaleVersion",
      () => Effect.void
    )
  }
  return yield* store.commit({ writes: [], reliesOn: [], events: [], ...part })
})

/** Commits writes and nothing else. */
export const put = (...writes: ReadonlyArray<Write>) => commit({ writes })

/** Commits each write by itself, one after the other. */
export const putEach = (writes: ReadonlyArray<Write>) => Effect.forEach(writes, (write) => put(write))

/** Why the store refuses a commit; fails when it does not. */
const refusal = (part: Partial<Commit>) => Effect.flip(commit(part))

/** Expects two values to be alike to the last key: moments by their millisecond, an absent key unlike `undefined`. */
export const expectSame = (actual: unknown, expected: unknown, message?: string): void =>
  assert.deepStrictEqual(actual, expected, message)

/** Expects a commit to be refused because an entity has another version by now. */
export const expectStale = Effect.fnUntraced(function* (
  part: Partial<Commit>,
  stale: { readonly kind: Write["kind"]; readonly id: string }
) {
  const { _tag, ...rest } = yield* refusal(part)
  assert.strictEqual(_tag, "StaleVersion", stale.kind)
  if ("kind" in rest) expectSame({ kind: rest.kind, id: rest.id }, { kind: stale.kind, id: stale.id })
})

/** Expects a commit to be refused because something is taken. */
export const expectTaken = Effect.fnUntraced(function* (part: Partial<Commit>, constraint: string) {
  const failure = yield* refusal(part)
  assert.strictEqual(failure._tag, "UniqueViolation", constraint)
  if (failure._tag === "UniqueViolation") assert.strictEqual(failure.constraint, constraint)
})

/** The ids of a page. */
export const idsOf = (page: Page<{ readonly id: string }>): ReadonlyArray<string> =>
  page.items.map(({ id }) => id)

/** Walks a list to its end and gives the ids, checking that each page but the last is full and says that more follow. */
export const walk = Effect.fnUntraced(function* <E, R>(
  list: (page: PageRequest) => Effect.Effect<Page<{ readonly id: string }>, E, R>,
  limit: number
) {
  const ids: Array<string> = []
  for (;;) {
    const before = ids.at(-1)
    const page = yield* list({ limit, ...(before === undefined ? {} : { before }) })
    assert.isAtMost(page.items.length, limit)
    ids.push(...idsOf(page))
    if (!page.hasMore) return ids
    assert.strictEqual(page.items.length, limit, "a page that is followed by another is full")
  }
})

/**
 * Reads the feed from behind a position to its end, in pages. Waits a little for `count` events: a feed may trail
 * the commits of others that are still in flight on the same database.
 */
export const eventsBehind = Effect.fnUntraced(function* (position: number, count: number, pageSize = 100) {
  const store = yield* Store
  const events: Array<StoredEvent> = []
  const giveUp = (yield* Clock.currentTimeMillis) + patienceMillis
  for (;;) {
    const page = yield* store.events.after(events.at(-1)?.position ?? position, pageSize)
    assert.isAtMost(page.length, pageSize)
    events.push(...page)
    if (page.length > 0) continue
    if (events.length >= count || (yield* Clock.currentTimeMillis) > giveUp) return events
    yield* Effect.sleep("10 millis")
  }
})

/** Reads a position until it is the expected one, for as long as a feed may trail. */
export const expectPosition = <E, R>(read: Effect.Effect<number, E, R>, expected: number) =>
  read.pipe(
    Effect.repeat({
      until: (position) => position === expected,
      schedule: Schedule.spaced("10 millis"),
      times: 200
    }),
    Effect.map((position) => assert.strictEqual(position, expected))
  )

// -----------------------------------------------------------------------------

const patienceMillis = 2000

const find = (store: Store["Service"], named: Named): Effect.Effect<unknown, Unavailable> => {
  switch (named.kind) {
    case "agent":
      return store.agents.byId(named.id)
    case "listing":
      return store.listings.byId(named.id)
    case "request":
      return store.requests.byId(named.id)
    case "rfq":
      return store.rfqs.byId(named.id)
    case "deal_room":
      return store.rooms.byId(named.id)
  }
}
