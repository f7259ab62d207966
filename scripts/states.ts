/** Renders the state tables of the market as a page: for each a diagram and its moves. Contract §4. */
import {
  agentTable,
  dealRoomTable,
  listingTable,
  matchTable,
  quoteTable,
  requestTable,
  rfqTable,
  webhookTable
} from "@souk/core"
import type { Move } from "@souk/core"

/** What of a move is shown. */
export type Row = Pick<Move<never, string, string>, "from" | "move" | "by" | "to" | "event"> & {
  readonly when?: { readonly says: string } | ReadonlyArray<{ readonly says: string }>
}

export interface Chart {
  readonly title: string
  /** The states that it can come to be in, which no table tells. */
  readonly begins: ReadonlyArray<string>
  readonly table: ReadonlyArray<Row>
}

/** Every table, in the order of the contract. */
export const charts: ReadonlyArray<Chart> = [
  { title: "Agent", begins: ["active"], table: agentTable },
  { title: "Listing", begins: ["draft", "active"], table: listingTable },
  { title: "Request", begins: ["open"], table: requestTable },
  { title: "RFQ", begins: ["draft", "open"], table: rfqTable },
  { title: "Quote", begins: ["active"], table: quoteTable },
  { title: "Match", begins: ["suggested"], table: matchTable },
  { title: "Deal room", begins: ["negotiating"], table: dealRoomTable },
  { title: "Webhook", begins: ["active"], table: webhookTable }
]

/** The whole page. */
export const renderStates = (charts: ReadonlyArray<Chart>): string => `# States

Who may move what from where to where. A move that is not listed is 409 \`invalid_state\`, and its \`error\` carries \`status\` and \`nextActions\`. What time moves is judged by the clock whenever somebody reads or writes.

The market decides by these tables, and this page is made of them: \`npm run docs:states\` writes it. The diagrams leave out moves that change an entity and not its state.
${charts.map(section).join("")}`

// -----------------------------------------------------------------------------

const section = (chart: Chart): string => `
## ${chart.title}

\`\`\`mermaid
${diagram(chart)}
\`\`\`

${moves(chart)}
`

const diagram = ({ begins, table }: Chart): string => {
  const arrows = table.flatMap(({ by, from, move, to }) =>
    to === "same"
      ? []
      : from.map((state) => ({ from: state, to, label: `${words(move)} (${by.join(", ")})` }))
  )
  const left = new Set(arrows.map(({ from }) => from))
  const ends = new Set(arrows.map(({ to }) => to)).difference(left)
  return [
    "stateDiagram-v2",
    ...begins.map((state) => `  [*] --> ${state}`),
    ...arrows.map(({ from, label, to }) => `  ${from} --> ${to} : ${label}`),
    ...[...ends].map((state) => `  ${state} --> [*]`)
  ].join("\n")
}

const moves = ({ table }: Chart): string =>
  [
    "| Move | From | By | To | Event | Only when |",
    "| --- | --- | --- | --- | --- | --- |",
    ...table.map(({ by, event, from, move, to, when }) =>
      line([
        words(move),
        from.map(code).join(", "),
        by.join(", "),
        to === "same" ? "as it is" : code(to),
        event === null ? "" : code(event),
        [when ?? []]
          .flat()
          .map(({ says }) => says)
          .join("; ")
      ])
    )
  ].join("\n")

const line = (cells: ReadonlyArray<string>): string =>
  `| ${cells.map((cell) => cell.replaceAll("|", "\\|")).join(" | ")} |`.replaceAll(/ {2,}/gu, " ")

const code = (text: string): string => `\`${text}\``

const words = (move: string): string => move.replaceAll("_", " ")
