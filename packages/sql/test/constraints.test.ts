/** What the rules refuse, the databases refuse as well, whoever writes it. */
import { assert, describe, it } from "@effect/vitest"
import { Unavailable } from "@souk/core"
import type { Store, Write } from "@souk/core"
import {
  moment,
  sampleAgent,
  sampleHold,
  sampleId,
  sampleListing,
  sampleMatch,
  sampleQuote,
  sampleOffer,
  sampleRequest,
  sampleReview,
  sampleRfq,
  sampleRoom,
  sampleTask,
  sampleTerms,
  sampleWebhook,
  write
} from "@souk/testing"
import { Effect } from "effect"
import { Reactivity } from "effect/reactivity"
import { SqlClient } from "effect/sql"
import * as SqliteClient from "../src/SqliteClient.ts"
import * as SqliteStore from "../src/SqliteStore.ts"
import { commitTo, openShared, usePostgres } from "./fixtures/postgres.ts"

usePostgres()

const self = sampleId("agent", 1)
const terms = sampleTerms()
const agreement = {
  offerId: sampleId("offer", 1),
  terms,
  termsDigest: sampleQuote(1).termsDigest,
  agreedAt: moment(0)
}
const worth = (amount: string, currency = "EUR") => sampleTerms({ total: { amount, currency } })
const won = sampleQuote(1, { status: "awarded" })

/** What the others name. */
const named: ReadonlyArray<Write> = [
  ...[1, 2, 3, 21].map((n) => write.agent(sampleAgent(n))),
  write.listing(sampleListing(1)),
  ...[1, 2].map((n) => write.rfq(sampleRfq(n))),
  write.room(sampleRoom(1))
]

/** What no rule writes, each by its name, with what is there before. */
const wrong: Readonly<Record<string, { readonly before?: ReadonlyArray<Write>; readonly write: Write }>> = {
  "version 0": { write: write.agent(sampleAgent(11, { version: 0 })) },
  "a fixed price that is not told": {
    write: write.listing(sampleListing(11, { pricing: { model: "fixed" } }))
  },
  "a negative price": {
    write: write.listing(
      sampleListing(11, { pricing: { model: "fixed", price: { amount: "-1", currency: "EUR" } } })
    )
  },
  "a price for a quote": {
    write: write.listing(
      sampleListing(11, { pricing: { model: "quote", price: { amount: "1", currency: "EUR" } } })
    )
  },
  "a budget in no currency": {
    write: write.rfq(sampleRfq(11, { budget: { amount: "1", currency: "" } }))
  },
  "a currency in small letters": {
    write: write.request(sampleRequest(11, { budget: { amount: "1", currency: "eur" } }))
  },
  "a rating of 6": { write: write.review(sampleReview(1, { rating: 6 })) },
  "a review of oneself": { write: write.review(sampleReview(1, { ofId: self })) },
  "a room with oneself": { write: write.room(sampleRoom(11, { sellerId: self })) },
  "a match with oneself": { write: write.match(sampleMatch(1, { sellerId: self })) },
  "an agreement in a room that negotiates": { write: write.room(sampleRoom(11, { agreement })) },
  "an agreement in a room that goes on negotiating": {
    before: [write.room(sampleRoom(11))],
    write: write.room(sampleRoom(11, { agreement, version: 2 }), 1)
  },
  "an agreement in a room that was declined": {
    write: write.room(sampleRoom(11, { agreement, status: "declined" }))
  },
  "a quote of less than nothing": { write: write.quote({ ...sampleQuote(21), terms: worth("-1") }) },
  "a quote that is changed to no amount": {
    before: [write.quote(sampleQuote(21))],
    write: write.quote({ ...sampleQuote(21), terms: worth("1e9"), version: 2 }, 1)
  },
  "an offer in no currency": { write: write.offer({ ...sampleOffer(11), terms: worth("1", "eur") }) },
  "an agreement upon no amount": {
    write: write.room(sampleRoom(11, { agreement: { ...agreement, terms: worth("") }, status: "agreed" }))
  },
  "a pending task that is never due": { write: write.task(sampleTask(1, { dueAt: null })) },
  "a task that is done and due": { write: write.task(sampleTask(1, { status: "done" })) },
  "a second award of an RFQ": {
    before: [write.quote(won)],
    write: write.quote(sampleQuote(2, { status: "awarded" }))
  },
  "a second award of an RFQ by a change": {
    before: [write.quote(won), write.quote(sampleQuote(2))],
    write: write.quote(sampleQuote(2, { status: "awarded", version: 2 }), 1)
  }
}

/** What is like it, and right. */
const right: ReadonlyArray<Write> = [
  write.agent(sampleAgent(11)),
  write.listing(sampleListing(11)),
  write.listing(sampleListing(12, { pricing: { model: "quote" } })),
  write.request(sampleRequest(11, { budget: { amount: "0", currency: "USDC" } })),
  write.rfq(sampleRfq(11)),
  write.quote(won),
  write.quote(sampleQuote(2, { status: "not_selected" })),
  write.quote(sampleQuote(3, { status: "awarded", rfqId: sampleId("rfq", 2) })),
  write.room(sampleRoom(11, { agreement, status: "agreed" })),
  write.room(sampleRoom(12, { agreement, status: "cancelled" })),
  write.room(sampleRoom(13, { status: "cancelled" })),
  // What was not delivered in time, and talks that came to nothing.
  write.room(sampleRoom(14, { agreement, status: "expired" })),
  write.room(sampleRoom(15, { status: "expired" })),
  write.offer(sampleOffer(1)),
  write.review(sampleReview(1)),
  write.match(sampleMatch(1)),
  write.webhook(sampleWebhook(1)),
  write.task(sampleTask(1)),
  write.task(sampleTask(2, { status: "failed", dueAt: null })),
  write.hold(sampleHold(1))
]

const withStatus = [
  "agents",
  "listings",
  "requests",
  "rfqs",
  "quotes",
  "deal_rooms",
  "offers",
  "matches",
  "webhooks",
  "tasks",
  "holds"
]

interface Opened {
  readonly store: Store["Service"]
  readonly sql: SqlClient.SqlClient
  /** What a table is called. */
  readonly nameOf: (table: string) => string
}

const inPostgres = Effect.gen(function* () {
  const { migrate, schema, sql, store } = yield* openShared()
  yield* migrate
  yield* commitTo(store, { writes: named })
  const opened: Opened = { sql, store, nameOf: (table) => `${schema}.${table}` }
  return opened
})

const inSqlite = Effect.gen(function* () {
  const sql = yield* Effect.provide(SqliteClient.make({ filename: ":memory:" }), Reactivity.layer)
  const run = Effect.provideService(SqlClient.SqlClient, sql)
  yield* run(SqliteStore.migrate)
  const opened: Opened = { sql, store: yield* run(SqliteStore.make), nameOf: (table) => table }
  yield* commitTo(opened.store, { writes: named })
  return opened
})

const reasonsOf = (error: unknown): ReadonlyArray<string> =>
  error instanceof Error ? [error.message, ...reasonsOf(error.cause)] : []

for (const [database, open] of [
  ["PostgreSQL", inPostgres],
  ["SQLite", inSqlite]
] as const) {
  describe(`${database} refuses`, () => {
    for (const [name, { before, write }] of Object.entries(wrong)) {
      it.live(name, () =>
        Effect.gen(function* () {
          const { store } = yield* open
          if (before !== undefined) yield* commitTo(store, { writes: before })
          const refused = yield* Effect.flip(commitTo(store, { writes: [write] }))
          assert.instanceOf(refused, Unavailable)
          assert.notInclude(reasonsOf(refused).join(), "foreign key", "it names what is there")
        })
      )
    }

    it.live("a status that none of the states is, and takes what is right", () =>
      Effect.gen(function* () {
        const { nameOf, sql, store } = yield* open
        yield* commitTo(store, { writes: right })
        for (const name of withStatus) {
          const error = yield* Effect.flip(sql`UPDATE ${sql(nameOf(name))} SET status = 'asleep'`)
          assert.strictEqual(error.reason._tag, "ConstraintError", name)
        }
      })
    )
  })
}
