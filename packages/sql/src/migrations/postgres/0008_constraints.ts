/**
 * Has the database itself refuse more of what the rules refuse, whoever writes: two awards of one RFQ, a deal with
 * oneself, terms that are agreed where nothing is, a task that is pending and never due, a currency that is none.
 */

const check = (table: string, name: string, condition: string) =>
  `ALTER TABLE ${table} ADD CONSTRAINT ${name} CHECK (${condition})`

const priced = ["listings", "requests", "rfqs"]

export default [
  "CREATE UNIQUE INDEX awarded_quote ON quotes (rfq_id) WHERE status = 'awarded'",
  check("deal_rooms", "room_of_two", "buyer_id <> seller_id"),
  check("matches", "match_of_two", "buyer_id <> seller_id"),
  check("reviews", "review_of_other", "by_id <> of_id"),
  check(
    "deal_rooms",
    "agreed_before",
    "status NOT IN ('negotiating', 'declined') OR (document -> 'agreement') IS NULL"
  ),
  check("tasks", "pending_is_due", "(status = 'pending') = (due_at IS NOT NULL)"),
  ...priced.map((table) => check(table, `${table}_currency`, "currency ~ '^[A-Z0-9]{3,12}$'"))
]
