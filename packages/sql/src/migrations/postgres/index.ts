/**
 * The migrations of the PostgreSQL store, run with the market's schema first on the search path. They go forward
 * only, and one that was released never changes. They only add, or refuse what no version ever wrote: a version of the
 * code serves every schema that is at least as new as its own.
 */
import type { Migration } from "../Migration.ts"
import market from "./0001_market.ts"
import commit from "./0002_commit.ts"
import deadlines from "./0003_deadlines.ts"
import requests from "./0004_requests.ts"
import matchesAndTasks from "./0005_matches_and_tasks.ts"
import retention from "./0006_retention.ts"
import rateLimits from "./0007_rate_limits.ts"
import constraints from "./0008_constraints.ts"
import references from "./0009_references.ts"

export const migrations: ReadonlyArray<Migration> = [
  { id: 1, name: "market", statements: market },
  { id: 2, name: "commit", statements: commit },
  { id: 3, name: "deadlines", statements: deadlines },
  { id: 4, name: "requests", statements: requests },
  { id: 5, name: "matches_and_tasks", statements: matchesAndTasks },
  { id: 6, name: "retention", statements: retention },
  { id: 7, name: "rate_limits", statements: rateLimits },
  { id: 8, name: "constraints", statements: constraints },
  { id: 9, name: "references", statements: references }
]
