/**
 * The migrations of the PostgreSQL store, run with the market's schema first on the search path. They go forward
 * only, and one that was released never changes. They only add: a version of the code serves every schema that is at
 * least as new as its own.
 */
import market from "./0001_market.ts"
import commit from "./0002_commit.ts"
import deadlines from "./0003_deadlines.ts"
import requests from "./0004_requests.ts"
import matchesAndTasks from "./0005_matches_and_tasks.ts"

export const migrations = {
  "0001_market": market,
  "0002_commit": commit,
  "0003_deadlines": deadlines,
  "0004_requests": requests,
  "0005_matches_and_tasks": matchesAndTasks
}

/** The number of the last migration. */
export const latestMigration = Math.max(...Object.keys(migrations).map((name) => Number.parseInt(name, 10)))
