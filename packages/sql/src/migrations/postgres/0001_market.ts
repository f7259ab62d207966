/**
 * Creates the market's tables.
 *
 * A table has typed columns for what is filtered, ordered, joined or constrained, and the whole entity as a JSON
 * `document`: `json` and not `jsonb`, since nothing looks into it and what is read shall be what was written. Words
 * are compared byte by byte, whatever the database's own order is. Amounts are in millionths.
 */

const word = 'text COLLATE "C"'

const oneOf = (column: string, ...values: ReadonlyArray<string>) =>
  `${word} NOT NULL CHECK (${column} IN (${values.map((value) => `'${value}'`).join(", ")}))`

const id = `id ${word} PRIMARY KEY`
const version = "version integer NOT NULL CHECK (version >= 1)"
const document = "document json NOT NULL"
const amount = `amount_micros bigint CHECK (amount_micros BETWEEN 0 AND 999999999999999999),
    currency ${word}`
const amountHasCurrency = "CHECK ((amount_micros IS NULL) = (currency IS NULL))"

const agents = [
  `CREATE TABLE agents (
    ${id},
    handle ${word} NOT NULL CONSTRAINT agent_handle UNIQUE,
    status ${oneOf("status", "active", "suspended", "closed")},
    ${version},
    ${document}
  )`,
  "CREATE INDEX agents_active ON agents (id) WHERE status = 'active'",
  `CREATE TABLE api_keys (
    ${id},
    agent_id ${word} NOT NULL,
    digest ${word} NOT NULL CONSTRAINT key_digest UNIQUE,
    ${version},
    ${document}
  )`,
  "CREATE INDEX api_keys_by_agent ON api_keys (agent_id, id)"
]

/** Tags stand beside the status of what they are on, so that a page by both is read from one index. */
const tagsOf = (owner: string, owners: string) => [
  `CREATE TABLE ${owner}_tags (
    ${owner}_id ${word} NOT NULL REFERENCES ${owners} (id),
    tag ${word} NOT NULL,
    status ${word} NOT NULL,
    PRIMARY KEY (${owner}_id, tag)
  )`,
  `CREATE INDEX ${owner}_tags_by_tag ON ${owner}_tags (tag, status, ${owner}_id)`
]

const listings = [
  `CREATE TABLE listings (
    ${id},
    agent_id ${word} NOT NULL,
    status ${oneOf("status", "draft", "active", "paused", "archived")},
    category ${word},
    pricing_model ${oneOf("pricing_model", "fixed", "per_unit", "quote")},
    ${amount},
    updated_at timestamptz NOT NULL,
    ${version},
    ${document},
    ${amountHasCurrency},
    CHECK ((amount_micros IS NULL) = (pricing_model = 'quote'))
  )`,
  "CREATE INDEX listings_by_status ON listings (status, id)",
  "CREATE INDEX listings_by_category ON listings (category, status, id)",
  "CREATE INDEX listings_by_agent ON listings (agent_id, id)",
  "CREATE INDEX listings_by_price ON listings (currency, amount_micros) WHERE amount_micros IS NOT NULL",
  "CREATE INDEX listings_by_change ON listings (updated_at)",
  ...tagsOf("listing", "listings")
]

// `…_by_status` holds the deadlines as well: a page of those that a clock has ended walks past the others in the index.
const rfqs = [
  `CREATE TABLE rfqs (
    ${id},
    agent_id ${word} NOT NULL,
    status ${oneOf("status", "draft", "open", "evaluating", "awarded", "unsuccessful", "cancelled")},
    visibility ${oneOf("visibility", "public", "invited")},
    category ${word},
    ${amount},
    quote_deadline timestamptz NOT NULL,
    award_by timestamptz NOT NULL,
    updated_at timestamptz NOT NULL,
    ${version},
    ${document},
    ${amountHasCurrency}
  )`,
  "CREATE INDEX rfqs_by_status ON rfqs (status, id, quote_deadline, award_by)",
  "CREATE INDEX rfqs_by_category ON rfqs (category, status, id)",
  "CREATE INDEX rfqs_by_agent ON rfqs (agent_id, id)",
  "CREATE INDEX rfqs_by_budget ON rfqs (currency, amount_micros) WHERE amount_micros IS NOT NULL",
  "CREATE INDEX rfqs_by_change ON rfqs (updated_at)",
  ...tagsOf("rfq", "rfqs"),
  `CREATE TABLE rfq_invitees (
    rfq_id ${word} NOT NULL REFERENCES rfqs (id),
    agent_id ${word} NOT NULL,
    PRIMARY KEY (rfq_id, agent_id)
  )`,
  "CREATE INDEX rfq_invitees_by_agent ON rfq_invitees (agent_id, rfq_id)"
]

const quotes = [
  `CREATE TABLE quotes (
    ${id},
    rfq_id ${word} NOT NULL,
    agent_id ${word} NOT NULL,
    status ${oneOf("status", "active", "withdrawn", "declined", "expired", "awarded", "not_selected")},
    ${version},
    ${document}
  )`,
  "CREATE UNIQUE INDEX active_quote ON quotes (rfq_id, agent_id) WHERE status = 'active'",
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
    buyer_id ${word} NOT NULL,
    seller_id ${word} NOT NULL,
    status ${oneOf("status", ...roomStatuses)},
    ${version},
    ${document}
  )`,
  "CREATE INDEX deal_rooms_by_buyer ON deal_rooms (buyer_id, id)",
  "CREATE INDEX deal_rooms_by_seller ON deal_rooms (seller_id, id)",
  `CREATE TABLE offers (
    ${id},
    room_id ${word} NOT NULL,
    from_id ${word} NOT NULL,
    status ${oneOf("status", "pending", "accepted", "rejected", "countered", "withdrawn", "expired")},
    ${version},
    ${document}
  )`,
  `CREATE TABLE entries (
    ${id},
    room_id ${word} NOT NULL,
    seq integer NOT NULL CHECK (seq >= 1),
    kind ${oneOf("kind", "system", "message", "offer", "delivery", "dispute")},
    ${document},
    CONSTRAINT entry_place UNIQUE (room_id, seq)
  )`,
  `CREATE TABLE reviews (
    ${id},
    room_id ${word} NOT NULL,
    by_id ${word} NOT NULL,
    of_id ${word} NOT NULL,
    rating integer NOT NULL CHECK (rating BETWEEN 1 AND 5),
    published_at timestamptz NOT NULL,
    ${version},
    ${document},
    CONSTRAINT room_review UNIQUE (room_id, by_id)
  )`,
  "CREATE INDEX reviews_by_subject ON reviews (of_id, id)"
]

const feed = [
  // `PostgresFeed.ts` says what a position is.
  `CREATE TABLE events (
    position bigint PRIMARY KEY CHECK (position > 0),
    id ${word} NOT NULL UNIQUE,
    type ${word} NOT NULL,
    at timestamptz NOT NULL,
    audience json NOT NULL,
    ${document}
  )`,
  `CREATE TABLE feed (
    is_only boolean PRIMARY KEY DEFAULT true CHECK (is_only),
    origin bigint NOT NULL
  )`,
  "INSERT INTO feed (origin) VALUES (pg_current_xact_id()::text::bigint)",
  `CREATE TABLE idempotency (
    ${id},
    expires_at timestamptz NOT NULL,
    ${document}
  )`,
  "CREATE INDEX idempotency_by_expiry ON idempotency (expires_at)"
]

export default [...agents, ...listings, ...rfqs, ...quotes, ...rooms, ...feed]
