/**
 * Has the database itself refuse more of what the rules refuse, whoever writes: two awards of one RFQ, a deal with
 * oneself, terms that are agreed where nothing is, a task that is pending and never due, a currency that is none, terms
 * whose total is no money.
 */

const check = (table: string, name: string, condition: string) =>
  `ALTER TABLE ${table} ADD CONSTRAINT ${name} CHECK (${condition})`

const priced = ["listings", "requests", "rfqs"]

/** What a quote, an offer or an agreement comes to stands in the document alone: exact, as millionths at most. */
const isMoney = `CREATE FUNCTION is_money(value json) RETURNS boolean LANGUAGE sql IMMUTABLE PARALLEL SAFE AS $body$
  SELECT coalesce(value ->> 'amount' ~ '^(0|[1-9][0-9]{0,11})(\\.[0-9]{1,6})?$', false)
    AND coalesce(value ->> 'currency' ~ '^[A-Z0-9]{3,12}$', false)
$body$`

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
  isMoney,
  check("quotes", "quoted_money", "is_money(document -> 'terms' -> 'total')"),
  check("offers", "offered_money", "is_money(document -> 'terms' -> 'total')"),
  check(
    "deal_rooms",
    "agreed_money",
    "(document -> 'agreement') IS NULL OR is_money(document -> 'agreement' -> 'terms' -> 'total')"
  ),
  ...priced.map((table) => check(table, `${table}_currency`, "currency ~ '^[A-Z0-9]{3,12}$'"))
]
