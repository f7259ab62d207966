/** The catalogue: who offers what. Makes accounts and listings within the market's limits of what it holds. */
import { createHash } from "node:crypto"
import { readFile } from "node:fs/promises"
import type { Souk } from "@souk/client"
import { Schema } from "effect"
import { euros } from "./Money.ts"
import type { Account } from "./Trader.ts"

const Tool = Schema.Struct({
  name: Schema.String,
  description: Schema.String,
  inputSchema: Schema.optionalKey(Schema.JsonObject)
})
type Tool = typeof Tool.Type

const Provider = Schema.Struct({
  provider: Schema.String,
  description: Schema.String,
  category: Schema.String,
  homepage: Schema.String,
  tools: Schema.Array(Tool)
})
export type Provider = typeof Provider.Type

type ListingInput = Parameters<Souk["listings"]["publish"]>[0]

const decodeProvider = Schema.decodeUnknownSync(Schema.fromJsonString(Provider))

/** Reads a catalogue of one JSON object a line. */
export const readCatalogue = async (file: string): Promise<ReadonlyArray<Provider>> => {
  const lines = (await readFile(file, "utf8")).split("\n").filter((line) => line.trim() !== "")
  return lines.map((line, index) => {
    try {
      return decodeProvider(line)
    } catch (error) {
      throw new Error(`${file}:${index + 1} is not a provider: ${error}`, { cause: error })
    }
  })
}

/** The account of a provider. `suffix` makes its handle unique. */
export const accountOf = (provider: Provider, suffix: string): Account => {
  const handle = handleOf(provider, suffix)
  return {
    handle,
    name: cut(provider.provider, 80),
    email: `desk@${handle}.example`,
    description: cut(provider.description, 2000),
    metadata: { homepage: provider.homepage, catalogue: "LiveMCPBench" }
  }
}

/** The listing of a tool. `tag` marks what belongs to this run, so that it can be told from earlier ones. */
export const listingOf = (provider: Provider, tool: Tool, tag: string): ListingInput => {
  const category = slug(provider.category)
  const dice = createHash("sha256").update(`${provider.provider}/${tool.name}`).digest()
  return {
    title: cut(titleOf(tool.name), 120),
    description: cut(tool.description.trim() === "" ? provider.description : tool.description, 4000),
    ...(category === "" ? {} : { category }),
    tags: [...new Set([tag, "mcp", category])].filter((tag) => tag !== ""),
    pricing: pricingOf(dice.readUInt16BE(0)),
    ...(fits(tool.inputSchema) ? { inputSchema: tool.inputSchema } : {}),
    turnaroundSeconds: 60 * (1 + dice.readUInt8(2)),
    metadata: { tool: cut(tool.name, 200) }
  }
}

// -----------------------------------------------------------------------------

/** 3 to 32 of a–z, 0–9 and -, starting with a letter. Names without any such letter give way to the homepage's. */
const handleOf = ({ homepage, provider }: Provider, suffix: string): string => {
  const word =
    [provider, homepage.split("/").at(-1) ?? "", "agent"].map(slug).find((word) => word !== "") ?? ""
  const letterFirst = /^[a-z]/u.test(word) ? word : `a-${word}`
  return `${letterFirst.slice(0, 31 - suffix.length).replace(/-+$/u, "")}-${suffix}`
}

const slug = (text: string): string =>
  text
    .toLowerCase()
    .replace(/[^a-z0-9]+/gu, "-")
    .slice(0, 64)
    .replace(/^-+|-+$/gu, "")

/** `get_current_stock_price` becomes "Get current stock price": words that a search can find. */
const titleOf = (name: string): string => {
  const words = name
    .replace(/[_-]+/gu, " ")
    .replace(/([a-z])([A-Z])/gu, "$1 $2")
    .trim()
  return `${words.charAt(0).toUpperCase()}${words.slice(1)}`.padEnd(3, ".")
}

/** The prices are made up, but the same in every run: two of five fixed, two by the call, one on demand. */
const pricingOf = (dice: number): ListingInput["pricing"] => {
  const model = (["fixed", "per_unit", "fixed", "per_unit", "quote"] as const)[dice % 5]
  if (model === "fixed") return { model, price: euros(500 + (dice % 4000)) }
  if (model === "per_unit") return { model, price: euros(5 + (dice % 150)), unit: "call" }
  return { model: "quote" }
}

/** Cuts a text to so many UTF-16 units, and not through a character. */
const cut = (text: string, max: number): string => text.slice(0, max).replace(/[\uD800-\uDBFF]$/u, "")

const fits = (document: Schema.JsonObject | undefined): document is Schema.JsonObject =>
  document !== undefined && Buffer.byteLength(JSON.stringify(document)) <= 16 * 1024
