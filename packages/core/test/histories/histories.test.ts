import { it } from "@effect/vitest"
import { Cause, Effect, Exit, Layer, ManagedRuntime } from "effect"
import { TestClock } from "effect/testing"
import * as fc from "fast-check"
import { Agents } from "../../src/index.ts"
import { market } from "../fixtures.ts"
import {
  expectConsent,
  expectEvents,
  expectOneAward,
  expectQuoteCounts,
  expectReputation,
  expectTranscripts
} from "./invariants.ts"
import { steps, weights } from "./steps.ts"
import type { Draw } from "./steps.ts"
import { expectNothingHidden } from "./visibility.ts"
import { emptyWorld, mark, owns, takeSnapshot } from "./world.ts"
import type { Services, World } from "./world.ts"

type Runtime = ManagedRuntime.ManagedRuntime<Exclude<Services, import("effect").Scope.Scope>, unknown>

/** Expects all that must hold, and remembers the market as it is now. */
const inspect = Effect.fnUntraced(function* (world: World, refused: boolean) {
  const now = yield* takeSnapshot(world)
  expectConsent(world, now)
  expectOneAward(now)
  expectQuoteCounts(now)
  expectReputation(now)
  expectEvents(world, now, refused)
  yield* expectTranscripts(now)
  yield* expectNothingHidden(world, now)
  world.before = now
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
    const done = Effect.match(step, { onFailure: () => true, onSuccess: () => false })
    const exit = await runtime.runPromiseExit(
      Effect.scoped(Effect.flatMap(done, (refused) => inspect(world, refused)))
    )
    if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  }

  toString(): string {
    return `${this.name}(${this.draw.who}, ${this.draw.which}, ${this.draw.how})`
  }
}

const number = fc.nat({ max: 5039 })
const draw: fc.Arbitrary<Draw> = fc.record({ who: number, which: number, how: number })
const commands = Object.keys(steps).flatMap((name) =>
  Array.from({ length: weights[name] ?? 1 }, () => draw.map((draw) => new Command(name, draw)))
)

/** A market with four agents and nothing else. */
const begin = async () => {
  const world = emptyWorld()
  const clock = TestClock.layer({ warningDelay: "1 hour" })
  const runtime: Runtime = ManagedRuntime.make(Layer.provideMerge(market(), clock))
  await runtime.runPromise(
    Effect.gen(function* () {
      for (const handle of ["ada", "bob", "cleo", "dan"]) {
        const text = mark(world)
        const { value } = yield* (yield* Agents).register({
          handle,
          name: `Agent ${handle}`,
          email: `${text}@example.com`
        })
        world.agents.push(value.agent.id)
        owns(world, text, value.agent.id)
      }
      world.before = yield* takeSnapshot(world)
    })
  )
  return { model: world, real: runtime }
}

const runs = Number(process.env["SOUK_HISTORIES"] ?? 40)

it(
  "any history leaves the market as the contract has it, after each of its steps",
  { timeout: 120_000 },
  () =>
    fc.assert(
      fc.asyncProperty(fc.commands(commands, { maxCommands: 150, size: "max" }), async (history) => {
        const { model, real } = await begin()
        try {
          await fc.asyncModelRun(() => ({ model, real }), history)
        } finally {
          await real.dispose()
        }
      }),
      { numRuns: runs }
    )
)
