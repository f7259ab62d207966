/** What the options must be that the test market and the simulator have beside those of a marketplace. */
import type { OtherOptions } from "@souk/server"

/** What ids and chance come from, and when the market begins. */
export const beginning: OtherOptions["own"] = {
  seed: ["be a number or a text", (seed) => ["number", "string"].includes(typeof seed)],
  startsAt: [
    "be a Date, or a time like 2026-01-05T09:00:00Z",
    (time) => (typeof time === "string" || time instanceof Date) && !Number.isNaN(new Date(time).getTime())
  ]
}
