/**
 * Where a history runs: on one node, or on several that have a store in common. Each step is done at one of them, and
 * what it did is judged in the same way wherever that was.
 */
import { Clock, Context, Effect, Layer, Logger } from "effect"
import type { Scope } from "effect"
import { Store } from "../../src/index.ts"
import { marketOf } from "./market.ts"
import { Visit } from "./world.ts"
import type { Services, World } from "./world.ts"

export interface Place {
  /** Makes what the nodes of a new market have in common, and gives each its way to it. */
  readonly stores: Effect.Effect<ReadonlyArray<Layer.Layer<Store, unknown>>, unknown, Scope.Scope>
  /** By how many milliseconds the clocks of the nodes are ahead of the time; 0 where nothing is said. */
  readonly aheadMillis?: ReadonlyArray<number>
  /** Whether steps are also taken two at a time, at different nodes. */
  readonly races?: boolean
  /**
   * Where every call takes its time: everything is read after one of how many steps only, and a history that fails is
   * not made shorter. The seed and the path that are told repeat it.
   */
  readonly looksAfter?: number
}

/**
 * Does something at a node, by its clock. The number says which one, of however many there are; `step` tells apart what
 * is done at the same time.
 */
export type At = (
  node: number,
  step?: number
) => <A, E>(effect: Effect.Effect<A, E, Services>) => Effect.Effect<A, E>

/** Opens a market, until the scope closes. */
export const open = Effect.fnUntraced(function* (place: Place, world: World) {
  const nodes = yield* Effect.forEach(yield* place.stores, (store, n) =>
    Layer.build(Layer.fresh(marketOf(world, store, n)))
  )
  const live = yield* Clock.Clock
  const { aheadMillis = [] } = place
  world.time.aheadMillis = Math.max(0, ...aheadMillis)
  const services = behindOneDoor(nodes)
  const at: At =
    (number, step = 0) =>
    (effect) => {
      const node = number % nodes.length
      return effect.pipe(
        Effect.provide(services),
        Effect.provideService(Visit, { node, step }),
        Effect.provideService(Clock.Clock, standing(live, world.time, aheadMillis[node] ?? 0)),
        // That the host's parts fail stands in the log, where nobody reads it here.
        Effect.provide(Logger.layer([]))
      )
    }
  return at
})

/** Waits until what was committed can be heard: a database may hold events back while others write. */
export const awaitTold = (world: World) =>
  Effect.flatMap(Store, ({ events }) =>
    Effect.repeat(events.latest, {
      until: (position) => position >= (world.events.at(-1)?.position ?? 0)
    }).pipe(Effect.timeout("20 seconds"))
  )

// -----------------------------------------------------------------------------

/** Services each of whose effects is done by the node that is visited where it is run. */
const behindOneDoor = (nodes: ReadonlyArray<Context.Context<Services>>): Context.Context<Services> =>
  Context.makeUnsafe(
    new Map(
      [...(nodes[0]?.mapUnsafe.keys() ?? [])].map((key) => [
        key,
        visited((node) => nodes[node]?.mapUnsafe.get(key))
      ])
    )
  )

const visited = (at: (node: number) => unknown): unknown => {
  const part = at(0)
  if (Effect.isEffect(part)) return Effect.flatMap(Visit, ({ node }) => doneAt(at(node)))
  if (typeof part === "function")
    return (...args: ReadonlyArray<unknown>) =>
      Effect.flatMap(Visit, ({ node }) => {
        const method = at(node)
        return doneAt(typeof method === "function" ? Reflect.apply(method, undefined, args) : method)
      })
  if (typeof part !== "object" || part === null) return part
  return new Proxy({}, { get: (_, name) => visited((node) => Reflect.get(Object(at(node)), name)) })
}

const doneAt = (part: unknown): Effect.Effect<unknown, unknown, unknown> =>
  Effect.isEffect(part) ? part : Effect.die(new Error("A service is asked for more than effects."))

/** A clock that steps turn. Who sleeps by it is woken as in life: nobody does but for a moment. */
const standing = (live: Clock.Clock, time: World["time"], ahead: number): Clock.Clock => {
  const millis = () => time.millis + ahead
  const nanos = () => BigInt(millis()) * 1_000_000n
  return {
    currentTimeMillisUnsafe: millis,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanosUnsafe: nanos,
    currentTimeNanos: Effect.sync(nanos),
    monotonicTimeNanosUnsafe: nanos,
    monotonicTimeNanos: Effect.sync(nanos),
    sleep: (duration) => live.sleep(duration)
  }
}
