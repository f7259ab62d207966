import { assert, describe, it } from "@effect/vitest"
import * as core from "@souk/core"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { charts, renderStates } from "../states.ts"
import type { Chart } from "../states.ts"

describe("the page of the states", () => {
  it("is what the tables say", () => {
    const page = readFileSync(join(import.meta.dirname, "../../docs/states.md"), "utf8")
    assert.strictEqual(page, renderStates(charts), "Run npm run docs:states and look at what it changed.")
  })

  it("shows every table of the market", () => {
    const shown = new Set<unknown>(charts.map(({ table }) => table))
    const tables = Object.entries(core).filter(([name]) => name.endsWith("Table"))
    assert.isNotEmpty(tables)
    for (const [name, table] of tables) assert.isTrue(shown.has(table), `${name} is not in scripts/states.ts`)
  })

  it("draws the moves that lead elsewhere, and lists all of them", () => {
    const chart: Chart = {
      title: "Lamp",
      begins: ["off"],
      table: [
        { from: ["off"], move: "switch_on", by: ["agent"], to: "on", event: "listing.published" },
        {
          from: ["on", "off"],
          move: "polish",
          by: ["agent", "operator"],
          to: "same",
          event: null,
          when: { says: "it is dusty | dull" }
        },
        { from: ["on", "off"], move: "break", by: ["time"], to: "broken", event: "listing.archived" }
      ]
    }
    assert.include(
      renderStates([chart]),
      `## Lamp

\`\`\`mermaid
stateDiagram-v2
  [*] --> off
  off --> on : switch on (agent)
  on --> broken : break (time)
  off --> broken : break (time)
  broken --> [*]
\`\`\`

| Move | From | By | To | Event | Only when |
| --- | --- | --- | --- | --- | --- |
| switch on | \`off\` | agent | \`on\` | \`listing.published\` | |
| polish | \`on\`, \`off\` | agent, operator | as it is | | it is dusty \\| dull |
| break | \`on\`, \`off\` | time | \`broken\` | \`listing.archived\` | |
`
    )
  })
})
