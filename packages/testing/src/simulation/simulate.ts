/**
 * The simulator: a market of buyers and sellers with different manners, for days of its own time in seconds of ours.
 *
 * Everything comes from the seed: who needs what, who answers when, who is honest. At the end of each day the invariants
 * of the market are checked, whatever was done by whomever.
 */
import { Agents, MemoryStore } from "@souk/core"
import type { AgentId, Instant } from "@souk/core"
import { checkOptions } from "@souk/server"
import type { OtherOptions } from "@souk/server"
import { Data, DateTime, Duration, Effect, Layer } from "effect"
import { TestClock } from "effect/testing"
import { epoch } from "../fixtures.ts"
import * as MarketTest from "../MarketTest.ts"
import { beginning } from "../ownOptions.ts"
import { observed } from "../observed.ts"
import type { Seed } from "../sfc32.ts"
import { makeAgenda } from "./Agenda.ts"
import { needSomething } from "./buyers.ts"
import { makeChance } from "./Chance.ts"
import type { Chance } from "./Chance.ts"
import { brokenInvariants } from "./invariants.ts"
import { makeLedger } from "./Ledger.ts"
import type { Ledger } from "./Ledger.ts"
import { buyerManners, sellerManners } from "./manners.ts"
import type { BuyerManner, SellerManner } from "./manners.ts"
import { react } from "./reactions.ts"
import { reportOf } from "./report.ts"
import type { SimulationReport } from "./report.ts"
import { publish } from "./sellers.ts"
import { hoursAfter } from "./Stage.ts"
import type { Act, Buyer, Seller, Skill, Stage } from "./Stage.ts"

export interface SimulationOptions {
  /** What everything comes from; the same seed gives the same report. `"souk"` by default. */
  readonly seed?: Seed
  /** How many agents there are, two in five of them buyers; at least 2, and 30 by default. */
  readonly agents?: number
  /** How long the market runs; 14 by default. */
  readonly days?: number
  /** Manners in place of `buyerManners` and `sellerManners`. */
  readonly buyers?: ReadonlyArray<BuyerManner>
  readonly sellers?: ReadonlyArray<SellerManner>
  /** When it begins; 5 January 2026, 9:00 UTC, by default. */
  readonly startsAt?: Date | string
}

/** Something does not hold that must. The same seed shows it again. */
export class InvariantBroken extends Data.TaggedError("InvariantBroken")<{
  readonly message: string
  readonly seed: Seed
  /** The first day is 1. */
  readonly day: number
  readonly broken: ReadonlyArray<string>
}> {}

/**
 * Runs a simulation, on a clock of its own.
 *
 * It fails with `InvariantBroken` where the market does not keep what it promises, at the end of the day. What agents
 * are refused is counted in the report.
 */
export const simulation = (
  options: SimulationOptions = {}
): Effect.Effect<SimulationReport, InvariantBroken> =>
  Effect.suspend(() => {
    checkOptions(options, known)
    const { agents = 30, days = 14, seed = "souk", startsAt = DateTime.toDate(epoch) } = options
    const ledger = makeLedger()
    const market = MarketTest.layerOn(observed(MemoryStore.layer, ledger.note), { seed })
    const start = Layer.effectDiscard(TestClock.setTime(new Date(startsAt).getTime()))
    return play({ ...options, agents, days, seed }, ledger).pipe(
      Effect.provide(market.pipe(Layer.provideMerge(start), Layer.provideMerge(clock))),
      // A store in memory is always there, and of this version.
      Effect.catchTag(["Unavailable", "SchemaOutOfDate"], Effect.die)
    )
  })

/**
 * Runs a simulation. Rejects with an `InvariantBroken` where the market does not keep what it promises.
 *
 * @example
 * ```ts
 * import { simulate } from "@souk/testing"
 *
 * const { deals, secondsToDeal } = await simulate({ seed: 7, agents: 30, days: 14 })
 * ```
 */
export const simulate = (options: SimulationOptions = {}): Promise<SimulationReport> =>
  Effect.runPromise(simulation(options))

// -----------------------------------------------------------------------------

const count = (min: number) => (value: unknown) =>
  typeof value === "number" && Number.isInteger(value) && value >= min

const manners = (value: unknown) => Array.isArray(value) && value.length > 0

const known: OtherOptions = {
  own: {
    ...beginning,
    agents: ["be a whole number, 2 or more", count(2)],
    days: ["be a whole number, 1 or more", count(1)],
    buyers: ["be a list of manners, like buyerManners", manners],
    sellers: ["be a list of manners, like sellerManners", manners]
  },
  shared: []
}

const clock = TestClock.layer({ warningDelay: Duration.infinity })

type Played = SimulationOptions & Required<Pick<SimulationOptions, "agents" | "days" | "seed">>

const play = Effect.fnUntraced(function* (options: Played, ledger: Ledger) {
  const { agents, days, seed } = options
  const chance = makeChance(seed)
  const startsAt = yield* DateTime.now
  const agenda = makeAgenda<Act>()
  const refusals = new Map<string, number>()
  const stage: Stage = {
    chance,
    ledger,
    buyers: new Map((yield* buyersOf(options, agents)).map((buyer) => [buyer.id, buyer])),
    sellers: new Map((yield* sellersOf(chance, options, agents)).map((seller) => [seller.id, seller])),
    needs: new Map(),
    offered: new Map(),
    plan: (from, afterHours, act) => agenda.plan(hoursAfter(from, afterHours), act)
  }
  for (const seller of stage.sellers.values()) stage.plan(startsAt, 0, publish(stage, seller))
  for (const buyer of stage.buyers.values()) planNeed(stage, buyer, startsAt)

  let heard = 0
  const listen = () => {
    for (const event of ledger.events.slice(heard)) react(stage, event)
    heard = ledger.events.length
  }
  const waitUntil = Effect.fnUntraced(function* (moment: Instant) {
    const left = DateTime.distance(yield* DateTime.now, moment)
    if (Duration.isGreaterThan(left, Duration.zero)) yield* TestClock.adjust(left)
    listen()
  })

  let movesSeen = 0
  for (let day = 1; day <= days; day++) {
    const evening = hoursAfter(startsAt, day * 24)
    for (;;) {
      const next = agenda.take(evening)
      if (next === undefined) break
      yield* waitUntil(next.at)
      yield* Effect.catch(next.what, ({ code }) =>
        Effect.sync(() => refusals.set(code, (refusals.get(code) ?? 0) + 1))
      )
      listen()
    }
    yield* waitUntil(evening)
    const broken = yield* brokenInvariants(ledger, movesSeen)
    movesSeen = ledger.moves.length
    if (broken.length > 0)
      return yield* new InvariantBroken({ message: sentenceOf(seed, day, broken), seed, day, broken })
  }
  const endsAt = yield* DateTime.now
  return reportOf(stage, { seed, days, startsAt, endsAt, refusals, checks: days })
})

const sentenceOf = (seed: Seed, day: number, broken: ReadonlyArray<string>): string =>
  `On day ${day} of the market of seed ${seed}: ${broken.join("; ")}.`

/** Needs come by chance, each after the one before. */
const planNeed = (stage: Stage, buyer: Buyer, from: Instant): void => {
  const hours = stage.chance.after((7 * 24) / buyer.manner.needsPerWeek)
  const at = hoursAfter(from, hours)
  stage.plan(
    from,
    hours,
    Effect.suspend(() => {
      planNeed(stage, buyer, at)
      return needSomething(stage, buyer, skills)
    })
  )
}

const buyersOf = Effect.fnUntraced(function* (options: SimulationOptions, agents: number) {
  const manners = spread(options.buyers ?? buyerManners, Math.max(1, Math.round(agents * buyersShare)))
  return yield* Effect.forEach(manners, (manner, n) =>
    Effect.map(register(`buyer-${n + 1}`), (id): Buyer => ({ side: "buyer", id, manner }))
  )
})

const buyersShare = 0.4

const sellersOf = Effect.fnUntraced(function* (chance: Chance, options: SimulationOptions, agents: number) {
  const count = agents - Math.max(1, Math.round(agents * buyersShare))
  return yield* Effect.forEach(spread(options.sellers ?? sellerManners, count), (manner, n) =>
    Effect.map(register(`seller-${n + 1}`), (id): Seller => {
      const first = n % skills.length
      const second = (first + 1 + Math.floor(chance.between(0, skills.length - 1))) % skills.length
      return { side: "seller", id, manner, skills: skills.filter((_, k) => k === first || k === second) }
    })
  )
})

/** Gives a number of agents their manners, by the shares. */
const spread = <A extends { readonly share: number }>(
  manners: ReadonlyArray<A>,
  count: number
): ReadonlyArray<A> => {
  const given = new Map(manners.map((manner) => [manner, 0]))
  return Array.from({ length: count }, () => {
    // The next one is of the manner that is furthest behind its share.
    const [next] = [...given].toSorted(([a, n], [b, m]) => (n + 1) / a.share - (m + 1) / b.share)
    if (next !== undefined) given.set(next[0], next[1] + 1)
    return next === undefined ? [] : [next[0]]
  }).flat()
}

const register = (handle: string): Effect.Effect<AgentId, never, Agents> =>
  Agents.use((agents) => agents.register({ handle, name: handle, email: `${handle}@example.com` })).pipe(
    Effect.map(({ value }) => value.agent.id),
    // Nobody else is there yet who could have taken the handle.
    Effect.orDie
  )

const skills: ReadonlyArray<Skill> = [
  {
    tag: "translation",
    title: "Translation of legal texts",
    words: "Contracts from English to German, with a glossary."
  },
  {
    tag: "transcription",
    title: "Transcription of interviews",
    words: "Recorded conversations as text, with time codes."
  },
  {
    tag: "research",
    title: "Market research reports",
    words: "Sources, figures and a summary of a market in Europe."
  },
  {
    tag: "images",
    title: "Product images on white",
    words: "Photographs cut out and corrected for an online shop."
  },
  {
    tag: "data",
    title: "Cleaning of customer data",
    words: "Duplicates merged, addresses checked, tables delivered."
  }
]
