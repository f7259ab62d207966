/**
 * Measures what a test pays for a market of its own: opening one, an agent on it, fourteen days on its clock.
 *
 * Run with `node --conditions=source packages/testing/bench/test-market.ts [COUNT]`. Beside the time that passes it
 * shows that of the processor, which is what counts on a machine that does other things as well.
 */
import { performance } from "node:perf_hooks"
import { simulate, testMarket } from "@souk/testing"

const count = Number(process.argv[2] ?? 500)

interface Took {
  readonly wall: number
  readonly cpu: number
}

const cpuMillis = (): number => {
  const { system, user } = process.cpuUsage()
  return (system + user) / 1000
}

/** Notes how long something takes. */
const timed = async <A>(notes: Array<Took>, run: () => Promise<A>): Promise<A> => {
  const [wall, cpu] = [performance.now(), cpuMillis()]
  const result = await run()
  notes.push({ wall: performance.now() - wall, cpu: cpuMillis() - cpu })
  return result
}

const opens: Array<Took> = []
const agents: Array<Took> = []
const fortnights: Array<Took> = []
const closes: Array<Took> = []
const simulations: Array<Took> = []

for (let n = 0; n < count; n++) {
  const market = await timed(opens, () => testMarket({ seed: n }))
  await timed(agents, () => market.agent("buyer"))
  if (n % 50 === 0) await timed(fortnights, () => market.clock.advance("14 days"))
  await timed(closes, () => market.close())
}
for (let seed = 0; seed < 5; seed++) await timed(simulations, () => simulate({ seed }))

const at = (took: ReadonlyArray<Took>, what: keyof Took, share: number): string => {
  const sorted = took.map((one) => one[what]).toSorted((a, b) => a - b)
  return (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(2).padStart(12)
}

const rows: ReadonlyArray<readonly [string, ReadonlyArray<Took>]> = [
  ["first market of the process", opens.slice(0, 1)],
  ["the next ten", opens.slice(1, 11)],
  ["each further one", opens.slice(11)],
  ["its first agent", agents.slice(11)],
  ["fourteen days on its clock", fortnights],
  ["closing it", closes.slice(11)],
  ["simulate: 30 agents, 14 days", simulations]
]
const heading = ["median", "90 %", "median CPU"].map((name) => name.padStart(12)).join("")
console.log(`${"milliseconds".padEnd(30)}${heading}`)
for (const [name, took] of rows)
  console.log(`${name.padEnd(30)}${at(took, "wall", 0.5)}${at(took, "wall", 0.9)}${at(took, "cpu", 0.5)}`)
