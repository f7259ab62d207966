/**
 * Creates the market's tables.
 *
 * A table has typed columns for what is filtered, ordered, joined or constrained, and the whole entity as a JSON
 * `document`. Moments are milliseconds since 1970, amounts are in millionths.
 */

const oneOf = (column: string, ...values: ReadonlyArray<string>) =>
  `TEXT NOT NULL CHECK (${column} IN (${values.map((value) => `'${value}'`).join(", ")}))`

const id = "id TEXT NOT NULL PRIMARY KEY"
const version = "version INTEGER NOT NULL CHECK (version >= 1)"
const document = "document TEXT NOT NULL"
const amount = `amount_micros INTEGER CHECK (amount_micros BETWEEN 0 AND 999999999999999999),
    currency TEXT`
const amountHasCurrency = "CHECK ((amount_micros IS NULL) = (currency IS NULL))"

const agents = [
  `CREATE TABLE agents (
    ${id},
    handle TEXT NOT NULL UNIQUE,
    status ${oneOf("status", "active", "suspended", "closed")},
    ${version},
    ${document}
  ) STRICT`,
  "CREATE INDEX agents_active ON agents (id) WHERE status = 'active'",
  `CREATE TABLE api_keys (
    ${id},
    agent_id TEXT NOT NULL,
    digest TEXT NOT NULL UNIQUE,
    ${version},
    ${document}
  ) STRICT`,
  "CREATE INDEX api_keys_by_agent ON api_keys (agent_id, id)"
]

/** Tags stand beside the status of what they are on, so that a page by both is read from one index. */
const tagsOf = (owner: string, owners: string) => [
  `CREATE TABLE ${owner}_tags (
    ${owner}_id TEXT NOT NULL REFERENCES ${owners} (id),
    tag TEXT NOT NULL,
    status TEXT NOT NULL,
    PRIMARY KEY (${owner}_id, tag)
  ) STRICT, WITHOUT ROWID`,
  `CREATE INDEX ${owner}_tags_by_tag ON ${owner}_tags (tag, status, ${owner}_id)`
]

// `…_by_status` holds every column that a filter looks at: a page walks the index and reads only the rows it keeps.
const listings = [
  `CREATE TABLE listings (
    ${id},
    agent_id TEXT NOT NULL,
    status ${oneOf("status", "draft", "active", "paused", "archived")},
    category TEXT,
    pricing_model ${oneOf("pricing_model", "fixed", "per_unit", "quote")},
    ${amount},
    updated_at INTEGER NOT NULL,
    ${version},
    ${document},
    ${amountHasCurrency},
    CHECK ((amount_micros IS NULL) = (pricing_model = 'quote'))
  ) STRICT`,
  `CREATE INDEX listings_by_status
    ON listings (status, id, category, pricing_model, currency, amount_micros, updated_at)`,
  "CREATE INDEX listings_by_category ON listings (category, status, id)",
  "CREATE INDEX listings_by_agent ON listings (agent_id, id, status)",
  ...tagsOf("listing", "listings")
]

const rfqs = [
  `CREATE TABLE rfqs (
    ${id},
    agent_id TEXT NOT NULL,
    status ${oneOf("status", "draft", "open", "evaluating", "awarded", "unsuccessful", "cancelled")},
    visibility ${oneOf("visibility", "public", "invited")},
    category TEXT,
    ${amount},
    quote_deadline INTEGER NOT NULL,
    award_by INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    ${version},
    ${document},
    ${amountHasCurrency}
  ) STRICT`,
  `CREATE INDEX rfqs_by_status ON rfqs
    (status, id, quote_deadline, award_by, visibility, agent_id, category, currency, amount_micros, updated_at)`,
  "CREATE INDEX rfqs_by_category ON rfqs (category, status, id)",
  "CREATE INDEX rfqs_by_agent ON rfqs (agent_id, id, status)",
  ...tagsOf("rfq", "rfqs"),
  `CREATE TABLE rfq_invitees (
    rfq_id TEXT NOT NULL REFERENCES rfqs (id),
    agent_id TEXT NOT NULL,
    PRIMARY KEY (rfq_id, agent_id)
  ) STRICT, WITHOUT ROWID`
]

const quotes = [
  `CREATE TABLE quotes (
    ${id},
    rfq_id TEXT NOT NULL,
    agent_id TEXT NOT NULL,
    status ${oneOf("status", "active", "withdrawn", "declined", "expired", "awarded", "not_selected")},
    ${version},
    ${document}
  ) STRICT`,
  "CREATE UNIQUE INDEX quotes_active ON quotes (rfq_id, agent_id) WHERE status = 'active'",
  "CREATE INDEX quotes_by_rfq ON quotes (rfq_id, id)",
  "CREATE INDEX quotes_by_agent ON quotes (agent_id, id)"
]

const roomStatuses = [
  "negotiating",
  "agreed",
  "in_progress",
  "delivered",
  "changes_requested",
  "disputed",
  "completed",
  "declined",
  "expired",
  "cancelled",
  "refunded",
  "split"
]

const rooms = [
  `CREATE TABLE deal_rooms (
    ${id},
    buyer_id TEXT NOT NULL,
    seller_id TEXT NOT NULL,
    status ${oneOf("status", ...roomStatuses)},
    ${version},
    ${document}
  ) STRICT`,
  "CREATE INDEX deal_rooms_by_buyer ON deal_rooms (buyer_id, id)",
  "CREATE INDEX deal_rooms_by_seller ON deal_rooms (seller_id, id)",
  `CREATE TABLE offers (
    ${id},
    room_id TEXT NOT NULL,
    from_id TEXT NOT NULL,
    status ${oneOf("status", "pending", "accepted", "rejected", "countered", "withdrawn", "expired")},
    ${version},
    ${document}
  ) STRICT`,
  `CREATE TABLE entries (
    ${id},
    room_id TEXT NOT NULL,
    seq INTEGER NOT NULL CHECK (seq >= 1),
    kind ${oneOf("kind", "system", "message", "offer", "delivery", "dispute")},
    ${document},
    UNIQUE (room_id, seq)
  ) STRICT`,
  `CREATE TABLE reviews (
    ${id},
    room_id TEXT NOT NULL,
    by_id TEXT NOT NULL,
    of_id TEXT NOT NULL,
    rating INTEGER NOT NULL CHECK (rating BETWEEN 1 AND 5),
    published_at INTEGER NOT NULL,
    ${version},
    ${document},
    UNIQUE (room_id, by_id)
  ) STRICT`,
  "CREATE INDEX reviews_by_subject ON reviews (of_id, id, published_at)"
]

const feed = [
  `CREATE TABLE events (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    id TEXT NOT NULL UNIQUE,
    type TEXT NOT NULL,
    at INTEGER NOT NULL,
    audience TEXT NOT NULL,
    ${document}
  ) STRICT`,
  `CREATE TABLE idempotency (
    ${id},
    expires_at INTEGER NOT NULL,
    ${document}
  ) STRICT`,
  "CREATE INDEX idempotency_by_expiry ON idempotency (expires_at)"
]

export default [...agents, ...listings, ...rfqs, ...quotes, ...rooms, ...feed]
