/** Fills the market: an account for each provider, and a listing for each of its tools. */
import type { Provider } from "./catalogue.ts"
import { accountOf, listingOf } from "./catalogue.ts"
import type { Report } from "./Report.ts"
import type { Trader } from "./Trader.ts"
import { register } from "./Trader.ts"

const atOnce = 8

/** Registers the providers, a few at once. `run` keeps their handles apart from those of other runs. */
export const registerProviders = async (
  url: string,
  catalogue: ReadonlyArray<Provider>,
  run: string,
  report: Report
): Promise<ReadonlyArray<Trader>> => {
  const startedAt = performance.now()
  let done = 0
  return inParallel(catalogue, async (provider, index) => {
    const trader = await register(url, accountOf(provider, `${run}${index.toString(36)}`))
    report.progress("providers", ++done, catalogue.length, startedAt)
    return trader
  })
}

/** Publishes every tool as a listing of its provider. Gives the listings' ids. */
export const publishTools = async (
  catalogue: ReadonlyArray<Provider>,
  sellers: ReadonlyArray<Trader>,
  tag: string,
  report: Report
): Promise<ReadonlyArray<string>> => {
  const startedAt = performance.now()
  let done = 0
  const offers = catalogue.flatMap((provider, index) =>
    provider.tools.map((tool) => ({ seller: sellers[index], input: listingOf(provider, tool, tag) }))
  )
  return inParallel(offers, async ({ seller, input }) => {
    if (seller === undefined) throw new Error("A provider has no account.")
    const { listing } = await seller.souk.listings.publish(input)
    report.progress("listings", ++done, offers.length, startedAt)
    return listing.id
  })
}

/** Does the same with every item, a few at once; the first failure ends it. */
const inParallel = async <A, B>(
  items: ReadonlyArray<A>,
  work: (item: A, index: number) => Promise<B>
): Promise<ReadonlyArray<B>> => {
  const results: Array<B> = []
  const queue = items.entries()
  let failed = false
  const worker = async () => {
    for (const [index, item] of queue) {
      if (failed) return
      try {
        results[index] = await work(item, index)
      } catch (error) {
        failed = true
        throw error
      }
    }
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return results
}
