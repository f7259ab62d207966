import { it } from "@effect/vitest"
import { Effect } from "effect"
import { MemoryStore } from "../../src/index.ts"
import { expectHistories } from "./history.ts"

const runs = Number(process.env["SOUK_HISTORIES"] ?? 25)

it(
  "any history leaves the market as the contract has it, after each of its steps",
  { timeout: 60_000 + runs * 10_000 },
  () => expectHistories({ stores: Effect.succeed([MemoryStore.layer]) }, runs)
)
