/**
 * Measures what a test pays for a market of its own: opening one, an agent on it, fourteen days on its clock.
 *
 * Run with `node --conditions=source packages/testing/bench/test-market.ts [COUNT]`.
 */
import { performance } from "node:perf_hooks"
import { testMarket } from "@souk/testing"

const count = Number(process.argv[2] ?? 500)

const timed = async <A>(run: () => Promise<A>): Promise<readonly [millis: number, result: A]> => {
  const began = performance.now()
  const result = await run()
  return [performance.now() - began, result]
}

const opens: Array<number> = []
const agents: Array<number> = []
const fortnights: Array<number> = []
const closes: Array<number> = []

for (let n = 0; n < count; n++) {
  const [opening, market] = await timed(() => testMarket({ seed: n }))
  opens.push(opening)
  agents.push((await timed(() => market.agent("buyer")))[0])
  if (n % 50 === 0) fortnights.push((await timed(() => market.clock.advance("14 days")))[0])
  closes.push((await timed(() => market.close()))[0])
}

const at = (millis: ReadonlyArray<number>, share: number): string => {
  const sorted = millis.toSorted((a, b) => a - b)
  return (sorted[Math.floor(share * (sorted.length - 1))] ?? Number.NaN).toFixed(2)
}

const rows: ReadonlyArray<readonly [string, ReadonlyArray<number>]> = [
  ["first market of the process", opens.slice(0, 1)],
  ["the next ten", opens.slice(1, 11)],
  ["each further one", opens.slice(11)],
  ["its first agent", agents.slice(11)],
  ["fourteen days on its clock", fortnights],
  ["closing it", closes.slice(11)]
]
console.log(`${"milliseconds".padEnd(30)}${"median".padStart(10)}${"90 %".padStart(10)}`)
for (const [name, millis] of rows)
  console.log(`${name.padEnd(30)}${at(millis, 0.5).padStart(10)}${at(millis, 0.9).padStart(10)}`)
