import { assert, describe, it } from "@effect/vitest"
import { Context, Effect, Layer, Metric } from "effect"
import { Market, MemoryStore, Metrics, MiniSearchIndex, StaleVersion, Store } from "../../src/index.ts"
import { codeOf, join, market, seededRandom } from "../fixtures.ts"

/** The value of a counter in a registry; undefined where there is no such counter. */
const countOf = (registry: Metric.MetricRegistry, id: string, label?: string) =>
  Effect.map(Effect.provideService(Metric.snapshot, Metric.MetricRegistry, registry), (snapshot) => {
    const found = snapshot.find(
      (metric) =>
        metric.id === id && (label === undefined || Object.values(metric.attributes ?? {}).includes(label))
    )
    return found?.type === "Counter" ? found.state.count : undefined
  })

/** A market whose next commits come too late, so many of them. */
const lateMarket = (commits: { late: number }) =>
  Market.layer({ sweepEverySeconds: "off" }).pipe(
    Layer.provide(
      Layer.effect(
        Store,
        Effect.map(Store, (store) => ({
          ...store,
          commit: (commit: Parameters<typeof store.commit>[0]) =>
            Effect.suspend(() =>
              commits.late-- > 0
                ? Effect.fail(new StaleVersion({ kind: "agent", id: "somebody" }))
                : store.commit(commit)
            )
        }))
      ).pipe(Layer.provide(MemoryStore.layer))
    ),
    Layer.provide([MiniSearchIndex.layer, seededRandom(5)])
  )

describe("the figures of a market", () => {
  it.effect("tell commits that came too late, and commands that gave up", () => {
    const commits = { late: 0 }
    return Effect.gen(function* () {
      const { registry } = yield* Metrics
      const figures = Effect.all({
        committed: countOf(registry, "souk_commits_total", "committed"),
        stale: countOf(registry, "souk_commits_total", "stale"),
        conflicts: countOf(registry, "souk_conflicts_total")
      })
      commits.late = 2
      yield* join("patient")
      assert.deepStrictEqual(yield* figures, { committed: 1, stale: 2, conflicts: 0 })
      commits.late = 5
      assert.strictEqual(yield* codeOf(join("unlucky")), "conflict")
      assert.deepStrictEqual(yield* figures, { committed: 1, stale: 7, conflicts: 1 })
    }).pipe(Effect.provide(lateMarket(commits)))
  })

  it.effect("stand in the registry that the host gives, and in no other", () =>
    Effect.gen(function* () {
      const registry: Metric.MetricRegistry = new Map()
      yield* Effect.provide(join("seller"), market({ metrics: { registry } }))
      assert.strictEqual(yield* countOf(registry, "souk_events_total", "agent.registered"), 1)
      const ambient = Context.get(yield* Effect.context<never>(), Metric.MetricRegistry)
      assert.isFalse([...ambient.keys()].some((key) => key.includes("souk_")))
    })
  )
})
