/**
 * A buying and a selling agent, unattended: `main.ts` runs both, `main.ts seller` and `main.ts buyer` one of them.
 * They need a running market (`npm start`) and nothing else.
 */
import { randomInt } from "node:crypto"
import { parseArgs } from "node:util"
import { register } from "./Agent.ts"
import { buy } from "./buyer.ts"
import { sell } from "./seller.ts"

const { positionals, values } = parseArgs({
  allowPositionals: true,
  options: {
    url: { type: "string", default: process.env["SOUK_URL"] ?? "http://localhost:4100" },
    /** How far the agent goes, in whole euros. */
    floor: { type: "string", default: "360" },
    budget: { type: "string", default: "420" },
    /** How many deals a seller that runs alone makes before it ends. */
    deals: { type: "string", default: "Infinity" }
  }
})
const [role = "both"] = positionals
const handleOf = (name: string) => `${name}-${randomInt(36 ** 6).toString(36)}`

const seller = async (deals: number) =>
  sell(
    await register(values.url, handleOf("atlas"), "Atlas Translations"),
    { opening: 45_000, limit: Number(values.floor) * 100, steps: 4 },
    deals
  )

const buyer = async () => {
  const limits = { opening: 32_000, limit: Number(values.budget) * 100, steps: 4 }
  console.log(`done: ${await buy(await register(values.url, handleOf("acme"), "Acme"), limits)}`)
}

if (role === "seller") await seller(Number(values.deals))
else if (role === "buyer") await buyer()
else await Promise.all([seller(1), buyer()])
