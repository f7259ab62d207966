/**
 * A day at the market: providers publish their tools, buyers carry deals through, one agent listens.
 *
 * Needs a running market (`npm start`), and speaks with it as any agent would: over HTTP. Exits with 1 when anything
 * is refused that should not be, or is not as it should be.
 */
import { randomInt } from "node:crypto"
import { ConnectionFailedError, RateLimitedError, Souk, SoukError } from "@souk/client"
import type { SoukEvent } from "@souk/client"
import { checkEvents, checkReputations } from "./audit.ts"
import { readCatalogue } from "./catalogue.ts"
import type { Deal } from "./deal.ts"
import { carryThrough, money } from "./deal.ts"
import { EventTail } from "./EventTail.ts"
import { publishTools, registerProviders } from "./load.ts"
import { needs } from "./needs.ts"
import type { Options } from "./Options.ts"
import { Misuse, readOptions, usage } from "./Options.ts"
import { Report } from "./Report.ts"
import type { Trader } from "./Trader.ts"
import { register } from "./Trader.ts"

const buyerNames = [
  "ada",
  "blaise",
  "carl",
  "dorothy",
  "emmy",
  "fibonacci",
  "grace",
  "hypatia",
  "isaac",
  "julia"
]

const run = async (options: Options): Promise<void> => {
  const startedAt = performance.now()
  const report = new Report(options.quiet)
  const anybody = new Souk({ baseUrl: options.url })
  const catalogue = await readCatalogue(options.catalogue)
  // Handles are unique and listings stay: the suffix lets the example run again on the same database.
  const suffix = randomInt(36 ** 6)
    .toString(36)
    .padStart(6, "0")
  const tag = `run-${suffix}`

  report.say(`The market at ${options.url}, run ${suffix}`)
  const buyers: Array<Trader> = []
  for (const name of buyerNames) {
    const handle = `${name}-${suffix}`
    buyers.push(await register(options.url, { handle, name, email: `${name}@${handle}.example` }))
  }
  const [follower] = buyers
  if (follower === undefined) throw new Error("There is no buyer.")
  const tail = new EventTail(follower.souk, (event) => tell(event, report))
  await tail.connect()
  report.say(`  ${buyers.length} buyers; ${follower.handle} follows the stream`)

  const providers = await registerProviders(options.url, catalogue, suffix, report)
  const listingIds = await publishTools(catalogue, providers, tag, report)
  const loadedAt = performance.now()

  const sellers = new Map(providers.map((seller) => [seller.id, seller]))
  const deals: Array<Deal> = []
  for (let index = 0; index < options.deals; index++) {
    const need = needs[index % needs.length]
    const buyer = buyers[index % buyers.length]
    if (need === undefined || buyer === undefined) throw new Error("There is no need, or no buyer.")
    report.say(`Deal ${index + 1}: ${need.title}`)
    // Half-way through, the listener loses its connection for the length of a deal. It must miss nothing.
    const cut = index === Math.floor(options.deals / 2)
    if (cut) {
      report.hear("(cut off)")
      tail.disconnect()
    }
    deals.push(await carryThrough(need, buyer, { tag, sellers }, report))
    if (cut) {
      report.hear("(back: what was missed comes first)")
      await tail.connect()
    }
  }

  await checkReputations(anybody, deals)
  await checkEvents(tail, follower, deals, [
    ...providers.map(({ id }) => `agent.registered ${id}`),
    ...listingIds.map((id) => `listing.published ${id}`)
  ])
  tail.disconnect()

  const count = (what: (deal: Deal) => boolean) => deals.filter(what).length
  const seconds = (from: number) => `${((performance.now() - from) / 1000).toFixed(1)} s`
  report.conclude(
    [
      `${buyers.length + providers.length} agents, ${listingIds.length} listings`,
      `${deals.length} deals completed and reviewed: ${count(({ need }) => need.offers.length === 0)} awarded, ` +
        `${count(({ need }) => need.offers.length > 0)} negotiated, ` +
        `${count(({ need }) => need.complaint !== undefined)} with changes`,
      `${money(deals.reduce((sum, { cents }) => sum + cents, 0))} agreed`,
      `${tail.heard.length} events heard, the stream resumed: ${tail.resumptions}`,
      `${seconds(startedAt)}, of which the deals took ${seconds(loadedAt)}`
    ].join("\n")
  )
}

/** Says what the listener hears. The many events of the loading are counted, and shown as progress already. */
const tell = ({ subject, type }: SoukEvent, report: Report): void => {
  if (type !== "agent.registered" && type !== "listing.published") report.hear(`${type} ${subject.id}`)
}

/** What went wrong, and where there is something to do about it, what. */
const explain = (error: unknown): string => {
  if (error instanceof ConnectionFailedError)
    return `${error.message}\nStart one first (npm start), or say where one runs: --url URL.`
  if (error instanceof RateLimitedError) {
    return (
      `${error.message}\n\nThis example registers some 80 accounts from one address, and the market allows 10 an hour ` +
      "unless it is told otherwise.\nStart it without limits for this: SOUK_RATE_LIMITS=off npm start"
    )
  }
  if (error instanceof Misuse) return `${error.message}\n\n${usage}`
  if (error instanceof SoukError) {
    const issues = error.issues.map(({ message, path }) => `  ${path}: ${message}`)
    return [`${error.httpStatus} ${error.code}`, ...issues, error.stack].join("\n")
  }
  return error instanceof Error ? (error.stack ?? error.message) : String(error)
}

try {
  const options = readOptions(process.argv.slice(2), process.env)
  if (options === undefined) console.log(usage)
  else await run(options)
} catch (error) {
  console.error(`\nFailed. ${explain(error)}`)
  process.exit(1)
}
