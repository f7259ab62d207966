/**
 * The migrations of the SQLite store. They go forward only, and one that was released never changes. They only add:
 * a version of the code serves every schema that is at least as new as its own.
 */
import market from "./0001_market.ts"
import deadlines from "./0002_deadlines.ts"
import requests from "./0003_requests.ts"
import matchesAndTasks from "./0004_matches_and_tasks.ts"

export const migrations = {
  "0001_market": market,
  "0002_deadlines": deadlines,
  "0003_requests": requests,
  "0004_matches_and_tasks": matchesAndTasks
}

/** The number of the last migration. */
export const latestMigration = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))
