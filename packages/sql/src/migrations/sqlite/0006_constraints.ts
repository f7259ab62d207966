/**
 * Has the database itself refuse more of what the rules refuse, whoever writes: two awards of one RFQ, a deal with
 * oneself, terms that are agreed where nothing is, a task that is pending and never due, a currency that is none. By
 * triggers, since SQLite gives a table that is there no new checks.
 */

const refuse = (table: string, name: string, condition: string) =>
  ["INSERT", "UPDATE"].map(
    (
      change
    ) => `CREATE TRIGGER ${name}_on_${change.toLowerCase()} BEFORE ${change} ON ${table} WHEN ${condition}
      BEGIN SELECT RAISE(ABORT, '${name}'); END`
  )

const priced = ["listings", "requests", "rfqs"]

export default [
  "CREATE UNIQUE INDEX quotes_awarded ON quotes (rfq_id) WHERE status = 'awarded'",
  ...refuse("deal_rooms", "room_of_two", "NEW.buyer_id = NEW.seller_id"),
  ...refuse("matches", "match_of_two", "NEW.buyer_id = NEW.seller_id"),
  ...refuse("reviews", "review_of_other", "NEW.by_id = NEW.of_id"),
  ...refuse(
    "deal_rooms",
    "agreed_before",
    `NEW.status IN ('negotiating', 'declined')
      AND json_type(NEW.document, '$.agreement') IS NOT NULL`
  ),
  ...refuse("tasks", "pending_is_due", "(NEW.status = 'pending') <> (NEW.due_at IS NOT NULL)"),
  ...priced.flatMap((table) =>
    refuse(
      table,
      `${table}_currency`,
      "NEW.currency GLOB '*[^A-Z0-9]*' OR length(NEW.currency) NOT BETWEEN 3 AND 12"
    )
  )
]
