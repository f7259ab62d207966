/** What the example can be told: by flags, and the market's address by `SOUK_URL` as well. */
import { fileURLToPath } from "node:url"
import { parseArgs } from "node:util"

export interface Options {
  readonly url: string
  readonly catalogue: string
  readonly deals: number
  readonly quiet: boolean
}

export const usage = `npm run example:market -- [options]

  --url URL         where the market runs (default: SOUK_URL, else http://localhost:4100)
  --catalogue FILE  the providers and their tools, one JSON object a line (default: the one beside the example)
  --deals N         how many deals to carry through (default: 10)
  --quiet           print the summary alone
  --help            print this`

/** The command line says something that the example does not understand. */
export class Misuse extends Error {
  override readonly name = "Misuse"
}

/** Reads the command line; `undefined` where help is wanted. */
export const readOptions = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>>
): Options | undefined => {
  const values = parse(args, env["SOUK_URL"] ?? "http://localhost:4100")
  if (values.help) return undefined
  if (!URL.canParse(values.url)) throw new Misuse(`--url is not a URL: ${values.url}`)
  if (!/^[1-9]\d{0,4}$/u.test(values.deals))
    throw new Misuse(`--deals is not a number from 1 on: ${values.deals}`)
  return { url: values.url, catalogue: values.catalogue, deals: Number(values.deals), quiet: values.quiet }
}

const parse = (args: ReadonlyArray<string>, url: string) => {
  try {
    return parseArgs({
      args: [...args],
      options: {
        url: { type: "string", default: url },
        catalogue: { type: "string", default: shippedCatalogue },
        deals: { type: "string", default: "10" },
        quiet: { type: "boolean", default: false },
        help: { type: "boolean", default: false }
      }
    }).values
  } catch (error) {
    throw new Misuse(error instanceof Error ? error.message : String(error))
  }
}

const shippedCatalogue = fileURLToPath(new URL("data/mcp-servers.jsonl", import.meta.url))
