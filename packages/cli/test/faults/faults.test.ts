/**
 * Kills nodes, and the database beneath them, amid mixed load, and holds the market to what it acknowledged.
 *
 * `SOUK_FAULTS_SEED` repeats what dies and when, and what callers draw; `SOUK_FAULTS` says how often something dies.
 */
import { assert, describe, it } from "@effect/vitest"
import { Effect, Random, Schedule, Schema } from "effect"
import { afterAll, beforeAll } from "vitest"
import { startPostgres } from "../../../../test/Postgres.ts"
import type { Postgres } from "../../../../test/Postgres.ts"
import { ask, follow, send } from "../Caller.ts"
import { receive } from "../Receiver.ts"
import type { Receiver } from "../Receiver.ts"
import { startCluster } from "./Cluster.ts"
import type { Cluster } from "./Cluster.ts"
import { openPair, trade } from "./trades.ts"
import type { Outcome, Party } from "./trades.ts"

let postgres: Postgres | undefined
beforeAll(async () => {
  postgres = await startPostgres()
})
afterAll(() => postgres?.stop())

const seed = process.env["SOUK_FAULTS_SEED"] ?? String(Date.now())
const faults = Number(process.env["SOUK_FAULTS"] ?? 5)
const pairs = ["ada", "bob", "cleo", "dan"]
const all = { concurrency: "unbounded" } as const

const types = ["listing.published", "deal_room.*", "match.found"]
const isHooked = (type: string) =>
  type === "listing.published" || type === "match.found" || type.startsWith("deal_room.")

/** How many attempts at one webhook may be under way on one node: as many may be made again after its death. */
const underWay = 4

const Event = Schema.Struct({
  id: Schema.String,
  type: Schema.String,
  subject: Schema.Struct({ id: Schema.String, version: Schema.Int })
})
type Event = typeof Event.Type

/** Every event that an agent may hear, from a node. */
const feedOf = Effect.fnUntraced(function* (url: string, { key }: Party) {
  const found: Array<Event> = []
  let after = "earliest"
  for (;;) {
    const path = `/api/v1/events?limit=100&after=${after}`
    const page = yield* ask(
      url,
      { path, key, headers: { accept: "application/json" } },
      { events: Schema.Array(Event), nextCursor: Schema.String }
    )
    if (page.events.length === 0) return found
    found.push(...page.events)
    after = page.nextCursor
  }
})

/** Follows the stream of an agent at one node after another, for as long as it is let. */
const listen = Effect.fnUntraced(function* (cluster: Cluster, { key }: Party, heard: Array<string>) {
  let after = "earliest"
  for (;;) {
    const some = yield* Random.nextIntBetween(500, 3000)
    yield* Effect.gen(function* () {
      const stream = yield* follow(yield* cluster.someUrl, `/api/v1/events?after=${after}`, {
        "x-agent-key": key
      })
      for (;;) {
        const message = yield* stream.next
        if (message === undefined) return
        assert.notStrictEqual(message.event, "stream.reset")
        if (message.event === "stream.ready") continue
        heard.push(Schema.decodeUnknownSync(Schema.fromJsonString(Event))(message.data).id)
        after = message.id
      }
    }).pipe(Effect.scoped, Effect.timeoutOption(some), Effect.exit)
    yield* Effect.sleep("50 millis")
  }
})

const eventually = <E, R>(is: Effect.Effect<boolean, E, R>, what: string) =>
  Effect.repeat(is, { until: (so) => so, schedule: Schedule.spaced("200 millis") }).pipe(
    Effect.timeoutOrElse({ duration: "20 seconds", orElse: () => Effect.die(new Error(`Never ${what}.`)) })
  )

/** Whoever asks again for what he was told is told the same. */
const expectKept = (cluster: Cluster) =>
  Effect.forEach(
    cluster.answered,
    Effect.fnUntraced(function* ({ call, reply }) {
      const again = yield* Effect.flatMap(cluster.someUrl, (url) => send(url, call))
      assert.strictEqual(again.text, reply.text)
      assert.strictEqual(again.headers.get("idempotent-replayed"), "true")
    }),
    { concurrency: 8 }
  )

/** The feed is the same at both nodes, and tells of each thing what was done to it, once and in its order. */
const expectTold = Effect.fnUntraced(function* (
  cluster: Cluster,
  { told }: Outcome,
  parties: ReadonlyArray<Party>
) {
  const feeds = yield* Effect.forEach(parties, (party) =>
    Effect.forEach(cluster.urls(), (url) => feedOf(url, party), all)
  )
  const events = new Map<string, Event>()
  for (const [first = [], second = []] of feeds) {
    assert.deepStrictEqual(first, second)
    assert.strictEqual(new Set(first.map(({ id }) => id)).size, first.length)
    for (const event of first) events.set(event.id, event)
  }
  const found = new Map<string, Array<string>>()
  for (const { subject, type } of [...events.values()].toSorted((a, b) => (a.id < b.id ? -1 : 1))) {
    if (!/^(match|key)\./u.test(type)) found.set(subject.id, [...(found.get(subject.id) ?? []), type])
  }
  assert.sameMembers([...found.keys()], [...told.keys()])
  for (const [id, types] of told) assert.deepStrictEqual(found.get(id), types, id)
  const matched = [...events.values()].filter(({ type }) => type === "match.found")
  const versions = matched.map(({ subject }) => `${subject.id} ${subject.version}`)
  assert.strictEqual(new Set(versions).size, versions.length)
  return feeds.map(([feed = []]) => feed)
})

/** The deliveries that a webhook has. */
const deliveriesOf = Effect.fnUntraced(function* (url: string, { key }: Party, webhookId: string) {
  const Delivery = Schema.Struct({ eventId: Schema.String, status: Schema.String })
  const found: Array<typeof Delivery.Type> = []
  let next: string | null = ""
  while (next !== null) {
    const cursor: string = next === "" ? "" : `&cursor=${next}`
    const path = `/api/v1/webhooks/${webhookId}/deliveries?limit=100${cursor}`
    const fields = { deliveries: Schema.Array(Delivery), nextCursor: Schema.NullOr(Schema.String) }
    const page: Schema.Struct<typeof fields>["Type"] = yield* ask(url, { path, key }, fields)
    found.push(...page.deliveries)
    next = page.nextCursor
  }
  return found
})

/** Each delivery is one, and is noted as made: also one that its node did not live to note, which is made again. */
const expectDelivered = Effect.fnUntraced(function* (
  url: string,
  agent: Party,
  webhookId: string,
  feed: ReadonlyArray<Event>
) {
  const deliveries = deliveriesOf(url, agent, webhookId)
  const areNoted = Effect.map(deliveries, (found) => found.every(({ status }) => status === "delivered"))
  yield* eventually(areNoted, "noted as delivered")
  assert.sameMembers(
    (yield* deliveries).map(({ eventId }) => eventId),
    feed.filter(({ type }) => isHooked(type)).map(({ id }) => id)
  )
})

type Trader = Effect.Success<ReturnType<typeof openPair>>

/** Whether time has ended what it was to end. */
const isSwept = (url: string, traders: ReadonlyArray<Trader>, { told }: Outcome) =>
  Effect.map(
    Effect.forEach(traders, ({ buyer }) => feedOf(url, buyer)),
    (feeds) =>
      feeds.flat().filter(({ type }) => type === "deal_room.expired").length ===
      [...told.values()].filter((types) => types.includes("deal_room.expired")).length
  )

/** Whether all that fits was found; takes out what was. */
const isMatched = (url: string, left: Array<Outcome["fitting"][number]>) =>
  Effect.gen(function* () {
    for (;;) {
      const [next] = left
      if (next === undefined) return true
      const path = `/api/v1/matches?demand=${next.rfq}`
      const { text } = yield* send(url, { path, key: next.buyer.key })
      if (!text.includes(next.listing)) return false
      left.shift()
    }
  })

/** The calls that the receiver is to get, once each at least. */
const wanted = (url: string, traders: ReadonlyArray<Trader>) =>
  Effect.map(
    Effect.forEach(traders, ({ buyer, name }) =>
      Effect.map(feedOf(url, buyer), (feed) =>
        feed.filter(({ type }) => isHooked(type)).map(({ id }) => `/${name} ${id}`)
      )
    ),
    (calls) => calls.flat()
  )

const callsTo = ({ got }: Receiver): ReadonlyArray<string> => got.map(({ id, path }) => `${path} ${id}`)

describe("nodes and databases that die", () => {
  it.live(
    `lose nothing that was acknowledged, tell each thing once, and leave no work undone (seed ${seed})`,
    () =>
      Effect.gen(function* () {
        assert(postgres !== undefined)
        const receiver = yield* receive
        const cluster = yield* startCluster(postgres, {
          SOUK_DATABASE_URL: postgres.url,
          SOUK_RATE_LIMITS: "off",
          SOUK_WEBHOOK_HOSTS: "127.0.0.1"
        })
        const outcome: Outcome = { told: new Map(), fitting: [] }
        const traders = yield* Effect.forEach(pairs, (name) =>
          openPair(cluster, outcome, name, { url: receiver.url + name, types })
        )
        const [ada] = traders
        assert(ada !== undefined)
        const heard: Array<string> = []
        yield* listen(cluster, ada.buyer, heard).pipe(Random.withSeed(`${seed} listens`), Effect.forkScoped)

        const life = { isOver: false }
        const chaos = Effect.gen(function* () {
          for (let n = 0; n < faults; n++) {
            yield* Effect.sleep(yield* Random.nextIntBetween(300, 1500))
            const choices = [cluster.killNode, cluster.killNode, cluster.crashDatabase, cluster.crashBoth]
            yield* Effect.flatten(Random.choice(choices))
          }
          life.isOver = true
        }).pipe(Random.withSeed(`${seed} dies`))
        const load = Effect.forEach(
          traders,
          (pair) =>
            Effect.gen(function* () {
              for (let n = 0; !life.isOver; n++) yield* trade(cluster, outcome, pair, n)
            }).pipe(Random.withSeed(`${seed} ${pair.name}`)),
          all
        )
        yield* Effect.all([chaos, load], all)

        const [url = ""] = cluster.urls()
        yield* eventually(isSwept(url, traders, outcome), "swept")
        yield* eventually(isMatched(url, [...outcome.fitting]), "matched")
        const isDelivered = Effect.map(wanted(url, traders), (calls) => {
          const got = new Set(callsTo(receiver))
          return calls.every((call) => got.has(call))
        })
        yield* eventually(isDelivered, "delivered")

        const parties = traders.flatMap(({ buyer, seller }) => [buyer, seller])
        const feeds = yield* expectTold(cluster, outcome, parties)
        for (const [n, { buyer, webhookId }] of traders.entries())
          yield* expectDelivered(url, buyer, webhookId, feeds[2 * n] ?? [])
        const got = callsTo(receiver)
        assert.isAtMost(got.length - new Set(got).size, faults * pairs.length * underWay * 2)
        yield* expectKept(cluster)
        const feed = (feeds[0] ?? []).map(({ id }) => id)
        yield* eventually(
          Effect.sync(() => heard.length >= feed.length),
          "heard"
        )
        assert.deepStrictEqual(heard, feed)
      }),
    120_000
  )
})
