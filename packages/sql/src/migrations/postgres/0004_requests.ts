/** Creates the tables of the requests, and has `commit_change` write them. */
import { commitChange, kinds } from "./0002_commit.ts"
import type { Kind } from "./0002_commit.ts"

const word = 'text COLLATE "C"'

// As with RFQs, `…_by_status` holds the deadline as well.
const requests = [
  `CREATE TABLE requests (
    id ${word} PRIMARY KEY,
    agent_id ${word} NOT NULL,
    status ${word} NOT NULL CHECK (status IN ('open', 'fulfilled', 'cancelled', 'expired')),
    category ${word},
    amount_micros bigint CHECK (amount_micros BETWEEN 0 AND 999999999999999999),
    currency ${word},
    expires_at timestamptz,
    updated_at timestamptz NOT NULL,
    version integer NOT NULL CHECK (version >= 1),
    document json NOT NULL,
    CHECK ((amount_micros IS NULL) = (currency IS NULL))
  )`,
  "CREATE INDEX requests_by_status ON requests (status, id, expires_at)",
  "CREATE INDEX requests_by_category ON requests (category, status, id)",
  "CREATE INDEX requests_by_agent ON requests (agent_id, id)",
  "CREATE INDEX requests_by_budget ON requests (currency, amount_micros) WHERE amount_micros IS NOT NULL",
  "CREATE INDEX requests_by_change ON requests (updated_at)",
  `CREATE TABLE request_tags (
    request_id ${word} NOT NULL REFERENCES requests (id),
    tag ${word} NOT NULL,
    status ${word} NOT NULL,
    PRIMARY KEY (request_id, tag)
  )`,
  "CREATE INDEX request_tags_by_tag ON request_tags (tag, status, request_id)"
]

export const request: Kind = {
  table: "requests",
  columns: [
    "agent_id",
    "status",
    "category",
    "amount_micros",
    "currency",
    "expires_at",
    "updated_at",
    "version",
    "document"
  ],
  sides: [{ table: "request_tags", columns: ["request_id", "tag", "status"] }]
}

export default [...requests, commitChange({ ...kinds, request })]
