/**
 * Measures the stores on disk beside the store in memory: commits a second, and pages of twenty a second by each
 * filter. Run it with Node 24: `node --conditions=source packages/sql/bench/stores.ts [listings]`.
 */
import { PgClient } from "@effect/sql-pg"
import { after, makeId, MemoryStore, Store } from "@souk/core"
import type { Commit, IdKind, IdOf, Instant, Listing, Page, PageRequest, Rfq, Unavailable } from "@souk/core"
import { sampleAgent } from "@souk/testing"
import { DateTime, Effect, ManagedRuntime, Redacted } from "effect"
import { SqlClient } from "effect/sql"
import { createHash } from "node:crypto"
import { mkdtempSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { startPostgres } from "../../../test/Postgres.ts"
import * as PostgresStore from "../src/PostgresStore.ts"
import * as SqliteStore from "../src/SqliteStore.ts"

const count = Number(process.argv[2] ?? 100_000)
const rfqCount = Math.trunc(count / 10)
const commitCount = 3_000
const millisEach = 500

const epoch = DateTime.makeUnsafe("2026-01-05T09:00:00.000Z")
const now = after(epoch, count)

/** A number that follows from its arguments, below `limit`. */
const chance = (salt: string, n: number, limit: number): number =>
  createHash("sha256").update(`${salt} ${n}`).digest().readUInt32BE() % limit

const idOf = <K extends IdKind>(kind: K, n: number): IdOf<K> =>
  makeId(kind, {
    millis: DateTime.toEpochMillis(epoch) + n,
    ordinal: n % 4096,
    bytes: createHash("sha256").update(`${kind} ${n}`).digest()
  })

const stampsOf = (moment: Instant) => ({ createdAt: moment, updatedAt: moment, version: 1 })

// The square makes some tags much more common than others.
const tagsOf = (n: number) =>
  Array.from(new Set([1, 2, 3, 4].map((i) => `tag-${Math.trunc(chance(`tag ${i}`, n, 1000) ** 2 / 5000)}`)))

const listingOf = (n: number): Listing => ({
  id: idOf("listing", n),
  agentId: idOf("agent", chance("agent", n, 1000)),
  title: `Listing ${n}`,
  description: "Sworn translations of contracts and statutes, with a glossary. ".repeat(8),
  category: `category-${chance("category", n, 40)}`,
  tags: tagsOf(n),
  pricing: {
    model: "fixed",
    price: {
      amount: `${chance("price", n, 100_000)}.50`,
      currency: chance("currency", n, 5) === 0 ? "USD" : "EUR"
    }
  },
  metadata: { region: "eu", languages: ["de", "fr"], capacity: n % 50 },
  status: chance("status", n, 10) === 0 ? "archived" : "active",
  ...stampsOf(after(epoch, n))
})

/** One in ten is open, and of those one in twenty is past its deadline without having been swept. */
const rfqOf = (n: number): Rfq => {
  const isOpen = n > rfqCount * 0.9
  const quoteDeadline = after(now, isOpen && chance("late", n, 20) > 0 ? 3600 + n : -60)
  return {
    id: idOf("rfq", n),
    agentId: idOf("agent", chance("agent", n, 1000)),
    title: `RFQ ${n}`,
    description: "Forty pages of contracts. ".repeat(8),
    category: `category-${chance("category", n, 40)}`,
    tags: tagsOf(n),
    requirements: [{ id: "sworn", text: "Sworn", hard: true }],
    visibility: chance("visibility", n, 5) === 0 ? "invited" : "public",
    invitees: [idOf("agent", chance("invitee", n, 1000))],
    quoteMode: "open",
    quoteDeadline,
    awardBy: after(quoteDeadline, 86_400),
    maxQuotes: 100,
    questions: [],
    quoteCount: 0,
    status: isOpen ? "open" : "awarded",
    ...stampsOf(after(epoch, n))
  }
}

type List = (page: PageRequest) => Effect.Effect<Page<{ readonly id: string }>, Unavailable>

const agentId = idOf("agent", 7)
const openWindow = { status: "open", quoteDeadlineAfter: now } as const
const closedWindows = [
  { status: "open", quoteDeadlineUpTo: now },
  { status: "evaluating" },
  { status: "awarded" }
] as const

const pages = (store: Store["Service"]): Readonly<Record<string, List>> => {
  const listings =
    (filter: Parameters<typeof store.listings.list>[0]): List =>
    (page) =>
      store.listings.list({ status: "active", ...filter }, page)
  const rfqs =
    (filter: Partial<Parameters<typeof store.rfqs.list>[0]>): List =>
    (page) =>
      store.rfqs.list({ states: [openWindow], ...filter }, page)
  return {
    listings: listings({}),
    "listings by a common tag": listings({ tag: "tag-0" }),
    "listings by a rare tag": listings({ tag: "tag-199" }),
    "listings by category": listings({ category: "category-3" }),
    "listings by tag and category": listings({ tag: "tag-0", category: "category-3" }),
    "listings by agent": listings({ agentId }),
    "listings by agent, of any status": listings({ agentId, status: undefined }),
    "listings by agent and tag": listings({ agentId, tag: "tag-0" }),
    "listings by price": listings({ maxPriceMicros: 10_000_000_000n, currency: "EUR" }),
    "listings by a price of few": listings({ maxPriceMicros: 1_000_000n, currency: "USD" }),
    "listings by tag and price": listings({ tag: "tag-0", maxPriceMicros: 1_000_000_000n, currency: "EUR" }),
    "listings by model": listings({ pricingModel: "fixed" }),
    "listings changed lately": listings({ updatedSince: after(now, -10) }),
    "RFQs without a key": rfqs({}),
    "RFQs of a viewer": rfqs({ viewer: agentId }),
    "RFQs by tag": rfqs({ viewer: agentId, tag: "tag-0" }),
    "RFQs that closed": rfqs({ viewer: agentId, states: closedWindows }),
    "RFQs by agent": rfqs({ viewer: agentId, agentId, states: [openWindow, ...closedWindows] })
  }
}

const load = async (commit: (part: Partial<Commit>) => Promise<unknown>) => {
  const step = 500
  const agents = Array.from({ length: 1000 }, (_, n) => sampleAgent(n, { id: idOf("agent", n) }))
  await commit({ writes: agents.map((value) => ({ kind: "agent", value, replaces: null })) })
  for (let start = 0; start < count; start += step) {
    const numbers = Array.from({ length: Math.min(step, count - start) }, (_, i) => start + i)
    await commit({ writes: numbers.map((n) => ({ kind: "listing", value: listingOf(n), replaces: null })) })
  }
  for (let start = 0; start < rfqCount; start += step) {
    const numbers = Array.from({ length: Math.min(step, rfqCount - start) }, (_, i) => start + i)
    await commit({ writes: numbers.map((n) => ({ kind: "rfq", value: rfqOf(n), replaces: null })) })
  }
}

const commitOf = (n: number): Partial<Commit> => {
  const value = listingOf(n)
  const subject = { kind: "listing", id: value.id, version: 1 } as const
  const event = { id: idOf("event", n), type: "listing.published", at: now, subject, data: {} } as const
  return {
    writes: [{ kind: "listing", value, replaces: null }],
    reliesOn: [],
    events: [{ event, audience: "public" }],
    idempotency: {
      id: `reply ${n}`,
      bodyDigest: "",
      reply: "",
      createdAt: now,
      expiresAt: after(now, 86_400)
    }
  }
}

/** How often a second something can be done. */
const rate = async (run: () => Promise<unknown>): Promise<number> => {
  for (let i = 0; i < 3; i++) await run()
  const start = performance.now()
  let runs = 0
  while (performance.now() - start < millisEach) {
    await run()
    runs += 1
  }
  return (runs * 1000) / (performance.now() - start)
}

/** `settle` is done when the market is loaded. */
const measure = async (
  layer: Parameters<typeof ManagedRuntime.make<Store, unknown>>[0],
  settle: Effect.Effect<unknown, unknown> = Effect.void
) => {
  const runtime = ManagedRuntime.make(layer)
  const store = await runtime.runPromise(Store)
  const commit = (part: Partial<Commit>) =>
    runtime.runPromise(store.commit({ writes: [], reliesOn: [], events: [], ...part }))
  const results = new Map<string, number>()
  const start = performance.now()
  await load(commit)
  results.set(`entities loaded, 500 a commit`, ((count + rfqCount) * 1000) / (performance.now() - start))
  await Effect.runPromise(settle)
  for (const [name, list] of Object.entries(pages(store))) {
    results.set(name, await rate(() => runtime.runPromise(list({ limit: 20 }))))
    const first = await runtime.runPromise(list({ limit: 100 }))
    const last = first.items.at(-1)
    if (first.hasMore && last !== undefined) {
      const before = idOf("listing", Math.trunc(count / 2)).slice("lst".length)
      const middle = `${last.id.split("_")[0]}${before}`
      results.set(
        `${name}, from the middle`,
        await rate(() => runtime.runPromise(list({ limit: 20, before: middle })))
      )
    }
  }
  let n = count
  const startOfCommits = performance.now()
  while (n < count + commitCount) await commit(commitOf(n++))
  results.set(
    "commits of a listing, an event and a reply",
    (commitCount * 1000) / (performance.now() - startOfCommits)
  )
  for (const concurrency of [8, 32]) {
    const start = performance.now()
    const worker = async () => {
      for (let i = 0; i < commitCount / concurrency; i++) await commit(commitOf(n++))
    }
    await Promise.all(Array.from({ length: concurrency }, worker))
    results.set(`the same, ${concurrency} at a time`, (commitCount * 1000) / (performance.now() - start))
    const page = () => runtime.runPromise(store.listings.list({ status: "active" }, { limit: 20 }))
    const all = () => Promise.all(Array.from({ length: concurrency }, page))
    results.set(`listings, ${concurrency} at a time`, (await rate(all)) * concurrency)
  }
  results.set("reads by id", await rate(() => runtime.runPromise(store.listings.byId(idOf("listing", 7)))))
  await runtime.dispose()
  return results
}

const postgres = await startPostgres({ fsync: true })
const directory = mkdtempSync(join(tmpdir(), "souk-bench-"))
try {
  const memory = await measure(MemoryStore.layer)
  const sqlite = await measure(SqliteStore.layer({ filename: join(directory, "souk.db"), migrate: true }))
  const url = Redacted.make(postgres.url)
  // What the server does by itself within a minute: pages are planned by what the tables hold.
  const analyze = SqlClient.SqlClient.use((sql) => sql`ANALYZE`).pipe(Effect.provide(PgClient.layer({ url })))
  const onPostgres = await measure(PostgresStore.layer({ url, migrate: true, maxConnections: 16 }), analyze)
  console.log(`${count} listings, ${rfqCount} RFQs; times a second`)
  console.table(
    Array.from(sqlite, ([what, perSecond]) => ({
      what,
      sqlite: Math.round(perSecond),
      postgres: Math.round(onPostgres.get(what) ?? 0),
      memory: Math.round(memory.get(what) ?? 0)
    }))
  )
} finally {
  await postgres.stop()
  rmSync(directory, { recursive: true })
}
