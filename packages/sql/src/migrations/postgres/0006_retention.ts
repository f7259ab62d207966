/**
 * Notes how far the feed was forgotten, which outlives the events, and has `commit_change` tell of it where no event is
 * left.
 */
import { commitChange, kinds } from "./0002_commit.ts"
import { request } from "./0004_requests.ts"
import { written } from "./0005_matches_and_tasks.ts"

export default [
  "ALTER TABLE feed ADD COLUMN forgotten bigint NOT NULL DEFAULT 0",
  commitChange({ ...kinds, request, ...written }, "coalesce(max(position), (SELECT forgotten FROM feed))")
]
