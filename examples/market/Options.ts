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

/** Reads the command line; `undefined` where help is wanted. */
export const readOptions = (
  args: ReadonlyArray<string>,
  env: Readonly<Record<string, string | undefined>>
): Options | undefined => {
  const { values } = parseArgs({
    args: [...args],
    options: {
      url: { type: "string", default: env["SOUK_URL"] ?? "http://localhost:4100" },
      catalogue: {
        type: "string",
        default: fileURLToPath(new URL("data/mcp-servers.jsonl", import.meta.url))
      },
      deals: { type: "string", default: "10" },
      quiet: { type: "boolean", default: false },
      help: { type: "boolean", default: false }
    }
  })
  if (values.help) return undefined
  if (!URL.canParse(values.url)) throw new Error(`--url is not a URL: ${values.url}`)
  if (!/^[1-9]\d{0,4}$/u.test(values.deals))
    throw new Error(`--deals is not a number from 1 on: ${values.deals}`)
  return { url: values.url, catalogue: values.catalogue, deals: Number(values.deals), quiet: values.quiet }
}
