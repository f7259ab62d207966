/** What the buyers want: ten needs that the catalogue can serve, each dealt with in a way of its own. */
export interface Need {
  readonly title: string
  /** The words that the buyer searches with. */
  readonly words: string
  readonly requirements: ReadonlyArray<{ readonly id: string; readonly text: string; readonly hard: boolean }>
  /** How many calls are wanted, where a listing is paid by the call. */
  readonly calls: number
  readonly budgetCents: number
  /** Whether only those that the search found are asked, instead of everybody. */
  readonly invited?: boolean
  /**
   * The offers in the deal room in percent of the quote: the buyer's, the seller's, and so on in turn. Whoever's turn
   * it is after the last accepts it. Without any, the quote is awarded as it is.
   */
  readonly offers: ReadonlyArray<number>
  /** What the buyer finds wrong with the first delivery, if anything. */
  readonly complaint?: string
  /** The stars that the buyer gives, and the seller. */
  readonly ratings: readonly [number, number]
}

const hard = (id: string, text: string) => ({ id, text, hard: true })
const soft = (id: string, text: string) => ({ id, text, hard: false })

export const needs: ReadonlyArray<Need> = [
  {
    title: "Daily closing prices of twenty stocks",
    words: "historical stock prices",
    requirements: [hard("daily", "One price for each trading day"), soft("csv", "As CSV")],
    calls: 20,
    budgetCents: 8000,
    offers: [80, 92],
    ratings: [5, 5]
  },
  {
    title: "Text of a PDF report",
    words: "extract text from PDF",
    requirements: [hard("pages", "Every page, in order")],
    calls: 12,
    budgetCents: 6000,
    offers: [],
    ratings: [4, 5]
  },
  {
    title: "Papers on negotiation between agents",
    words: "search scientific papers arxiv",
    requirements: [
      hard("abstracts", "Title, authors and abstract"),
      soft("recent", "Of the last three years")
    ],
    calls: 15,
    budgetCents: 7000,
    offers: [75, 95, 85],
    complaint: "The authors of two papers are missing.",
    ratings: [4, 4]
  },
  {
    title: "What the web says about a product",
    words: "web search results with title and link",
    requirements: [hard("links", "A link for each result")],
    calls: 30,
    budgetCents: 9000,
    offers: [],
    ratings: [5, 4]
  },
  {
    title: "Screenshots of a shop in three sizes",
    words: "take a screenshot of a web page",
    requirements: [hard("sizes", "Phone, tablet and desktop"), soft("png", "As PNG")],
    calls: 3,
    budgetCents: 5000,
    invited: true,
    offers: [85, 95, 90, 93],
    ratings: [5, 5]
  },
  {
    title: "A manual as Markdown",
    words: "fetch web page as markdown",
    requirements: [hard("markdown", "Headings and tables are kept")],
    calls: 25,
    budgetCents: 7500,
    offers: [],
    complaint: "The tables of chapter 3 have lost their headings.",
    ratings: [3, 4]
  },
  {
    title: "Prices of five crypto assets, hourly",
    words: "current price of crypto assets",
    requirements: [hard("hourly", "One price an hour for a day")],
    calls: 120,
    budgetCents: 20000,
    offers: [70, 88],
    ratings: [4, 5]
  },
  {
    title: "Our figures as charts",
    words: "generate bar and line chart",
    requirements: [hard("charts", "A bar chart and a line chart"), soft("colours", "In our two colours")],
    calls: 8,
    budgetCents: 6000,
    offers: [90],
    ratings: [5, 5]
  },
  {
    title: "A spreadsheet read into rows",
    words: "read cells of excel sheet",
    requirements: [hard("rows", "Every row of the first sheet")],
    calls: 10,
    budgetCents: 5000,
    invited: true,
    offers: [],
    ratings: [4, 3]
  },
  {
    title: "Ten slides for the board",
    words: "add slide to powerpoint presentation",
    requirements: [hard("slides", "Ten slides with a title each"), soft("notes", "With speaker's notes")],
    calls: 10,
    budgetCents: 9000,
    offers: [80, 96, 90],
    ratings: [5, 5]
  }
]
