import { it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, Logger, ManagedRuntime } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { Agents } from "../../src/index.ts"
import { expectDeeds } from "./events.ts"
import { expectDelivered, expectSent } from "./hooks.ts"
import {
  expectConsent,
  expectOneAward,
  expectQuoteCounts,
  expectReputation,
  expectSeals,
  expectTranscripts
} from "./invariants.ts"
import type { Draw } from "./manners.ts"
import { marketOf } from "./market.ts"
import { expectMatches, expectPairs } from "./matches.ts"
import { expectOffers } from "./offers.ts"
import { expectEnds, expectOrders } from "./settlements.ts"
import { steps, weights } from "./steps/index.ts"
import { expectNothingHidden, expectNothingTold } from "./visibility.ts"
import { emptyWorld, idsOf, mark, oneOf, owns } from "./world.ts"
import type { Services, World } from "./world.ts"

type Runtime = ManagedRuntime.ManagedRuntime<Services, unknown>

/** Expects all that must hold of what a step did, and forgets what it did. */
const inspect = Effect.fnUntraced(function* (world: World, refused: boolean) {
  expectDeeds(world, refused)
  expectConsent(world)
  expectOneAward(world)
  expectQuoteCounts(world)
  expectReputation(world)
  expectPairs(world)
  expectOrders(world)
  yield* expectTranscripts(world)
  yield* expectSeals(world)
  yield* expectSent(world)
  yield* expectNothingTold(world)
  for (const done of [world.deeds, world.said, world.sent]) done.length = 0
})

/** Looks at the market as anybody and as one of its agents. */
const look = Effect.fnUntraced(function* (world: World, draw: Draw) {
  const agent = oneOf(idsOf(world.ledger.agents), draw.how)
  yield* expectNothingHidden(world, undefined)
  yield* expectNothingHidden(world, agent)
  yield* expectMatches(world, agent)
  yield* expectOffers(world, agent, draw)
})

class Command implements fc.AsyncCommand<World, Runtime> {
  readonly name: string
  readonly draw: Draw

  constructor(name: string, draw: Draw) {
    this.name = name
    this.draw = draw
  }

  check(world: Readonly<World>): boolean {
    return steps[this.name]?.({ ...world }, this.draw) !== undefined
  }

  async run(world: World, runtime: Runtime): Promise<void> {
    const step = steps[this.name]?.(world, this.draw)
    if (step === undefined) return
    await runOn(
      runtime,
      Effect.gen({ self: this }, function* () {
        const refused = yield* Effect.match(step, { onFailure: () => true, onSuccess: () => false })
        yield* inspect(world, refused)
        yield* look(world, this.draw)
      })
    )
  }

  toString(): string {
    const { how, manner, which, who } = this.draw
    return `${this.name}(${who}, ${which}, ${how}, ${manner})`
  }
}

const runOn = async <A, E>(runtime: Runtime, effect: Effect.Effect<A, E, Services>): Promise<A> => {
  const exit = await runtime.runPromiseExit(effect)
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  return exit.value
}

const number = fc.noBias(fc.nat({ max: 5039 }))
const draw: fc.Arbitrary<Draw> = fc.record({ who: number, which: number, how: number, manner: number })
const commands = Object.keys(steps).flatMap((name) =>
  Array.from({ length: weights[name] ?? 1 }, () => draw.map((draw) => new Command(name, draw)))
)

/** A market with four agents and nothing else. */
const begin = async (settles: boolean) => {
  const model = emptyWorld(settles)
  // That the host's parts fail stands in the log, where nobody reads it here.
  const silence = Logger.layer([])
  const base = Layer.merge(TestClock.layer({ warningDelay: "1 hour" }), silence)
  const real: Runtime = ManagedRuntime.make(Layer.provideMerge(marketOf(model), base))
  await runOn(
    real,
    Effect.gen(function* () {
      for (const handle of ["ada", "bob", "cleo", "dan"]) {
        const text = mark(model)
        const { value } = yield* (yield* Agents).register({
          handle,
          name: `Agent ${handle}`,
          email: `${text}@example.com`
        })
        owns(model, text, value.agent.id)
      }
      yield* inspect(model, false)
    })
  )
  return { model, real }
}

/** At its end a history is looked at by everybody, then left to time alone. */
const end = Effect.fnUntraced(function* (world: World) {
  for (const viewer of [undefined, ...idsOf(world.ledger.agents)]) yield* expectNothingHidden(world, viewer)
  yield* expectEnds(world)
  yield* inspect(world, false)
  yield* expectDelivered(world)
  yield* inspect(world, false)
  yield* look(world, { who: 0, which: 0, how: 0, manner: 0 })
})

const runs = Number(process.env["SOUK_HISTORIES"] ?? 25)

it(
  "any history leaves the market as the contract has it, after each of its steps",
  { timeout: 60_000 + runs * 10_000 },
  () =>
    fc.assert(
      fc.asyncProperty(
        // Most markets settle their deals.
        fc.nat({ max: 3 }).map((number) => number > 0),
        fc.noBias(fc.commands(commands, { maxCommands: 260, size: "max" })),
        async (settles, history) => {
          const { model, real } = await begin(settles)
          try {
            await fc.asyncModelRun(() => ({ model, real }), history)
            await runOn(real, end(model))
          } finally {
            await real.dispose()
          }
        }
      ),
      { numRuns: runs }
    )
)
