/**
 * Has the database itself refuse more of what the rules refuse, whoever writes: two awards of one RFQ, a deal with
 * oneself, terms that are agreed where nothing is, a task that is pending and never due, a currency that is none, terms
 * whose total is no money. By triggers, since SQLite gives a table that is there no new checks.
 */

const refuse = (table: string, name: string, condition: string) =>
  ["INSERT", "UPDATE"].map(
    (
      change
    ) => `CREATE TRIGGER ${name}_on_${change.toLowerCase()} BEFORE ${change} ON ${table} WHEN ${condition}
      BEGIN SELECT RAISE(ABORT, '${name}'); END`
  )

const priced = ["listings", "requests", "rfqs"]

/** Whether what stands at a path of the document is anything but an amount and its currency. */
const isNoMoney = (path: string) => {
  const [amount, currency] = ["amount", "currency"].map((name) => `NEW.document ->> '$.${path}.${name}'`)
  return `coalesce(${amount} NOT GLOB '[0-9]*' OR ${amount} GLOB '*[^0-9.]*'
    OR ${currency} GLOB '*[^A-Z0-9]*' OR length(${currency}) NOT BETWEEN 3 AND 12, true)`
}

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
  ...refuse("quotes", "quoted_money", isNoMoney("terms.total")),
  ...refuse("offers", "offered_money", isNoMoney("terms.total")),
  ...refuse(
    "deal_rooms",
    "agreed_money",
    `json_type(NEW.document, '$.agreement') IS NOT NULL AND ${isNoMoney("agreement.terms.total")}`
  ),
  ...priced.flatMap((table) =>
    refuse(
      table,
      `${table}_currency`,
      "NEW.currency GLOB '*[^A-Z0-9]*' OR length(NEW.currency) NOT BETWEEN 3 AND 12"
    )
  )
]
