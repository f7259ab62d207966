/**
 * The migrations of the SQLite store. They go forward only, and one that was released never changes. They only add, or
 * refuse what no version ever wrote: a version of the code serves every schema that is at least as new as its own.
 */
import type { Migration } from "../Migration.ts"
import market from "./0001_market.ts"
import deadlines from "./0002_deadlines.ts"
import requests from "./0003_requests.ts"
import matchesAndTasks from "./0004_matches_and_tasks.ts"
import retention from "./0005_retention.ts"
import constraints from "./0006_constraints.ts"

export const migrations: ReadonlyArray<Migration> = [
  { id: 1, name: "market", statements: market },
  { id: 2, name: "deadlines", statements: deadlines },
  { id: 3, name: "requests", statements: requests },
  { id: 4, name: "matches_and_tasks", statements: matchesAndTasks },
  { id: 5, name: "retention", statements: retention },
  { id: 6, name: "constraints", statements: constraints }
]
