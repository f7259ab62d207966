/** Creates the tables of the requests. */

// As with RFQs, `…_by_status` holds every column that a filter looks at.
export default [
  `CREATE TABLE requests (
    id TEXT NOT NULL PRIMARY KEY,
    agent_id TEXT NOT NULL,
    status TEXT NOT NULL CHECK (status IN ('open', 'fulfilled', 'cancelled', 'expired')),
    category TEXT,
    amount_micros INTEGER CHECK (amount_micros BETWEEN 0 AND 999999999999999999),
    currency TEXT,
    expires_at INTEGER,
    updated_at INTEGER NOT NULL,
    version INTEGER NOT NULL CHECK (version >= 1),
    document TEXT NOT NULL,
    CHECK ((amount_micros IS NULL) = (currency IS NULL))
  ) STRICT`,
  `CREATE INDEX requests_by_status
    ON requests (status, id, expires_at, agent_id, category, currency, amount_micros, updated_at)`,
  "CREATE INDEX requests_by_category ON requests (category, status, id)",
  "CREATE INDEX requests_by_agent ON requests (agent_id, id, status)",
  `CREATE TABLE request_tags (
    request_id TEXT NOT NULL REFERENCES requests (id),
    tag TEXT NOT NULL,
    status TEXT NOT NULL,
    PRIMARY KEY (request_id, tag)
  ) STRICT, WITHOUT ROWID`,
  "CREATE INDEX request_tags_by_tag ON request_tags (tag, status, request_id)"
]
