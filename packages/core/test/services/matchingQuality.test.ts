/** Whether what is matched is what a reader would have chosen, among the 527 real tools of the example's catalogue. */
import { readFileSync } from "node:fs"
import { assert, it } from "@effect/vitest"
import { Effect, Schema } from "effect"
import { Agents, Listings, Matches, Matching, Requests } from "../../src/index.ts"
import type { AgentId } from "../../src/index.ts"
import { join, market } from "../fixtures.ts"

const Provider = Schema.Struct({
  provider: Schema.String,
  tools: Schema.Array(Schema.Struct({ name: Schema.String, description: Schema.String }))
})

const file = new URL("../../../../examples/market/data/mcp-servers.jsonl", import.meta.url)
const providers = readFileSync(file, "utf8")
  .split("\n")
  .filter((line) => line !== "")
  .map((line) => Schema.decodeUnknownSync(Schema.fromJsonString(Provider))(line))

/** What buyers ask for, in words of their own, and the tools that serve it. */
const needs: ReadonlyArray<readonly [title: string, description: string, tools: ReadonlyArray<string>]> = [
  [
    "Daily closing prices of twenty stocks",
    "Historical stock prices, one for each trading day, as CSV.",
    ["get_historical_stock_prices", "get_stock_price_date_range", "get_stock_price_by_date"]
  ],
  ["Text of a PDF report", "Extract the text of every page, in order.", ["read-pdf", "read_pdf"]],
  [
    "Papers on negotiation",
    "Search scientific papers on arXiv: title, authors, abstract.",
    ["search_papers"]
  ],
  [
    "Screenshots of a shop in three sizes",
    "Take a screenshot of a web page for phone, tablet and desktop.",
    ["playwright_screenshot", "puppeteer_screenshot"]
  ],
  ["A manual as Markdown", "Fetch a web page as markdown, headings and tables kept.", ["fetch_markdown"]],
  ["Our figures as a bar chart", "Generate bar charts in our two colours.", ["generate_bar_chart"]],
  [
    "A spreadsheet read into rows",
    "Read the cells of an Excel sheet.",
    ["excel_read_sheet", "excel_read", "read_data_from_excel"]
  ],
  [
    "Ten slides for the board",
    "Add slides to a PowerPoint presentation, with a title each.",
    ["add_slide", "create_slide_from_template", "add_slide_with_layout"]
  ]
]

it.effect("the best match of a need is a tool that serves it, whichever was there first", () =>
  Effect.gen(function* () {
    const [requests, listings, matches, { round }] = [
      yield* Requests,
      yield* Listings,
      yield* Matches,
      yield* Matching
    ]
    const ask = (buyer: AgentId) =>
      Effect.forEach(needs, ([title, description]) =>
        Effect.map(requests.open(buyer, { title, description }), ({ value }) => value.id)
      )
    const buyer = yield* join("buyer")
    const early = yield* ask(buyer)
    const tools = new Map<string, string>()
    for (const [n, { provider, tools: offered }] of providers.entries()) {
      const { value } = yield* (yield* Agents).register({
        handle: `provider-${n}`,
        name: provider.slice(0, 80),
        email: `desk${n}@example.com`
      })
      for (const { description, name } of offered) {
        const title = name.replaceAll(/[_-]+/gu, " ").padEnd(3, ".")
        const pricing = { model: "quote" as const }
        const input = { title, description: description.slice(0, 4000), pricing }
        const published = yield* listings.publish(value.agent.id, input)
        tools.set(published.value.id, name)
      }
    }
    const late = yield* ask(buyer)
    yield* Effect.repeat(round, { while: (count) => count > 0 })
    for (const [index, [title, , expected]] of needs.entries()) {
      for (const demand of [early[index], late[index]]) {
        const { items } = yield* matches.list(buyer, { demand, limit: 100 })
        const best = items.toSorted((a, b) => b.score - a.score)[0]
        assert.include(expected, tools.get(best?.supply.id ?? ""), title)
      }
    }
  }).pipe(Effect.provide(market()))
)
