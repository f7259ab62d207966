/** Random histories of everything that can be done on a market, judged after each of their steps. */
import { Cause, Effect, Exit, Scope } from "effect"
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
import { expectMatches, expectPairs } from "./matches.ts"
import { expectOffers } from "./offers.ts"
import { awaitTold, open } from "./place.ts"
import type { At, Place } from "./place.ts"
import { expectEnds, expectOrders } from "./settlements.ts"
import { races, steps, weights } from "./steps/index.ts"
import { expectNothingHidden, expectNothingTold } from "./visibility.ts"
import { emptyWorld, idsOf, mark, oneOf, owns } from "./world.ts"
import type { World } from "./world.ts"

/** Expects all that must hold of what some steps did, each of which was refused or not, and forgets what they did. */
const inspect = Effect.fnUntraced(function* (world: World, refused: ReadonlyArray<boolean>) {
  yield* awaitTold(world)
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

/** A market with what was seen of it. */
interface Scene {
  readonly at: At
  readonly looksAfter: number
}

class Command implements fc.AsyncCommand<World, Scene> {
  readonly name: string
  readonly draw: Draw

  constructor(name: string, draw: Draw) {
    this.name = name
    this.draw = draw
  }

  check(world: Readonly<World>): boolean {
    return steps[this.name]?.({ ...world }, this.draw) !== undefined
  }

  async run(world: World, { at, looksAfter }: Scene): Promise<void> {
    const step = steps[this.name]?.(world, this.draw)
    if (step === undefined) return
    const { how, where } = this.draw
    const done = Effect.gen(function* () {
      const refused = yield* Effect.match(step, { onFailure: () => true, onSuccess: () => false })
      yield* inspect(world, [refused])
    })
    await run(at(where)(done))
    if (how % looksAfter === 0) await run(at(Math.floor(where / 2))(look(world, this.draw)))
  }

  toString(): string {
    const { how, manner, where, which, who } = this.draw
    return `${this.name}(${who}, ${which}, ${how}, ${manner}, ${where})`
  }
}

/** Two steps at the same time, at nodes that follow upon each other. */
class AtOnce implements fc.AsyncCommand<World, Scene> {
  readonly names: readonly [string, string]
  readonly draws: readonly [Draw, Draw]

  constructor(names: readonly [string, string], { how, manner, where, which, who }: Draw) {
    this.names = names
    // Mostly of the same thing, by whomever.
    this.draws = [
      { who, which, how, where, manner: plainly(who) },
      { who: manner, which, how: where, where: where + 1, manner: plainly(how) }
    ]
  }

  check(world: Readonly<World>): boolean {
    return this.stepsIn({ ...world }) !== undefined
  }

  stepsIn(world: World) {
    const one = steps[this.names[0]]?.(world, this.draws[0])
    const other = steps[this.names[1]]?.(world, this.draws[1])
    return one === undefined || other === undefined ? undefined : [one, other]
  }

  async run(world: World, { at }: Scene): Promise<void> {
    const pair = this.stepsIn(world)
    if (pair === undefined) return
    const { where } = this.draws[0]
    const refused = await run(
      Effect.forEach(
        pair,
        (step, n) => at(where + n, n)(Effect.match(step, { onFailure: () => true, onSuccess: () => false })),
        { concurrency: "unbounded" }
      )
    )
    world.events.sort((a, b) => a.position - b.position)
    // What one was told was so before what the other did.
    world.said.length = 0
    await run(at(where)(inspect(world, refused)))
  }

  toString(): string {
    const [{ how, where, which, who }, { who: other }] = this.draws
    return `${this.names.join(" beside ")}(${who}, ${which}, ${how}, ${other}, ${where})`
  }
}

/** In a manner of which nothing else is expected while others are at it: plainly, or with an Idempotency-Key. */
const plainly = (number: number): number => (number % 2) * 6

const run = async <A, E>(effect: Effect.Effect<A, E>): Promise<A> => {
  const exit = await Effect.runPromiseExit(effect)
  if (Exit.isFailure(exit)) throw Cause.squash(exit.cause)
  return exit.value
}

const number = fc.noBias(fc.nat({ max: 5039 }))
const draw: fc.Arbitrary<Draw> = fc.record({
  who: number,
  which: number,
  how: number,
  manner: number,
  where: number
})
const alone = Object.keys(steps).flatMap((name) =>
  Array.from({ length: weights[name] ?? 1 }, () => draw.map((draw) => new Command(name, draw)))
)
const atOnce = races.flatMap((names) => {
  const name = fc.constantFrom(...names)
  const pair = fc.tuple(fc.tuple(name, name), draw).map(([names, draw]) => new AtOnce(names, draw))
  return Array.from({ length: 4 }, () => pair)
})

/** Four agents and nothing else. */
const begin = Effect.fnUntraced(function* (world: World) {
  for (const handle of ["ada", "bob", "cleo", "dan"]) {
    const text = mark(world)
    const { value } = yield* (yield* Agents).register({
      handle,
      name: `Agent ${handle}`,
      email: `${text}@example.com`
    })
    owns(world, text, value.agent.id)
  }
  yield* inspect(world, [false])
})

/** At its end a history is looked at by everybody, then left to time alone. */
const end = Effect.fnUntraced(function* (world: World) {
  for (const viewer of [undefined, ...idsOf(world.ledger.agents)]) yield* expectNothingHidden(world, viewer)
  yield* expectEnds(world)
  yield* inspect(world, [false])
  yield* expectDelivered(world)
  yield* inspect(world, [false])
  yield* look(world, { who: 0, which: 0, how: 0, manner: 0, where: 0 })
})

/** Lets some histories happen at a place. */
export const expectHistories = (place: Place, runs: number): Promise<void> => {
  const commands = place.races === true ? [...alone, ...atOnce] : alone
  return fc.assert(
    fc.asyncProperty(
      // Most markets settle their deals.
      fc.nat({ max: 3 }).map((number) => number > 0),
      fc.noBias(fc.commands(commands, { maxCommands: 260, size: "max" })),
      async (settles, history) => {
        const scope = Scope.makeUnsafe()
        const model = emptyWorld(settles)
        try {
          const at = await run(Scope.provide(open(place, model), scope))
          await run(at(0)(begin(model)))
          await fc.asyncModelRun(() => ({ model, real: { at, looksAfter: place.looksAfter ?? 1 } }), history)
          await run(at(1)(end(model)))
        } finally {
          await run(Scope.close(scope, Exit.void))
        }
      }
    ),
    { numRuns: runs, endOnFailure: place.looksAfter !== undefined }
  )
}
