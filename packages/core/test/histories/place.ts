/**
 * Where a history runs: on one node, or on several that have a store in common. Each step is done at one of them, and
 * what it did is judged in the same way wherever that was.
 */
import { Clock, Context, Effect, Layer, Logger } from "effect"
import type { Scope } from "effect"
import { Store } from "../../src/index.ts"
import { marketOf } from "./market.ts"
import type { Services, World } from "./world.ts"

export interface Place {
  /** Makes what the nodes of a new market have in common, and gives each its way to it. */
  readonly stores: Effect.Effect<ReadonlyArray<Layer.Layer<Store, unknown>>, unknown, Scope.Scope>
  /** By how many milliseconds the clocks of the nodes are ahead of the time; 0 where nothing is said. */
  readonly aheadMillis?: ReadonlyArray<number>
  /**
   * Where every call takes its time: everything is read after one of how many steps only, and a history that fails is
   * not made shorter. The seed and the path that are told repeat it.
   */
  readonly looksAfter?: number
}

/** Does something at a node, by its clock. The number says which one, of however many there are. */
export type At = (node: number) => <A, E>(effect: Effect.Effect<A, E, Services>) => Effect.Effect<A, E>

/** Opens a market, until the scope closes. */
export const open = Effect.fnUntraced(function* (place: Place, world: World) {
  const nodes = yield* Effect.forEach(yield* place.stores, (store, n) =>
    Layer.build(Layer.fresh(marketOf(world, store, n)))
  )
  const live = yield* Clock.Clock
  const { aheadMillis = [] } = place
  world.time.aheadMillis = Math.max(0, ...aheadMillis)
  const door = { node: 0 }
  const services = behind(nodes, door)
  const at: At = (number) => (effect) =>
    Effect.suspend(() => {
      door.node = number % nodes.length
      const ahead = aheadMillis[door.node] ?? 0
      return effect.pipe(
        Effect.provide(services),
        Effect.provideService(Clock.Clock, standing(live, world.time, ahead)),
        // That the host's parts fail stands in the log, where nobody reads it here.
        Effect.provide(Logger.layer([]))
      )
    })
  return at
})

/** Waits until what was committed can be heard: a database may hold events back while others write. */
export const awaitTold = (world: World) =>
  Effect.flatMap(Store, ({ events }) =>
    Effect.repeat(events.latest, { until: (position) => position >= (world.events.at(-1)?.position ?? 0) })
  )

// -----------------------------------------------------------------------------

interface Door {
  node: number
}

/**
 * The services of the node that the door leads to when they are asked: what is done again later is done at the node
 * where the history has come to by then.
 */
const behind = (nodes: ReadonlyArray<Context.Context<Services>>, door: Door): Context.Context<Services> =>
  Context.makeUnsafe(
    new Map(
      [...(nodes[0]?.mapUnsafe.keys() ?? [])].map((key) => [
        key,
        new Proxy({}, { get: (_, name) => Reflect.get(nodes[door.node]?.mapUnsafe.get(key), name) })
      ])
    )
  )

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
