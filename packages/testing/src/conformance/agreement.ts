/** Runs a random history on a store and on the one in memory, which is the reference, and compares their answers. */
import { MemoryStore, Store, Unavailable, type Commit } from "@souk/core"
import { Context, Effect, Layer } from "effect"
import * as fc from "fast-check"
import { moment, sampleBookmark, sampleEvent, sampleId, sampleKey, sampleReply } from "../fixtures.ts"
import { population, queues } from "./drafts.ts"
import { history, type Attempt, type Named, type Step } from "./history.ts"
import { eventsBehind, expectSame } from "./Obligation.ts"
import type { Question } from "./questions.ts"
import { namedBy, standIn } from "./standIns.ts"

interface AgreementOptions {
  /** How many histories are tried. */
  readonly runs: number
  /** How many steps a history has at most. */
  readonly steps: number
}

/** Expects a store to answer every history as the one in memory does. Each history begins on a store newly built. */
export const expectAgreement = <E>(layer: Layer.Layer<Store, E>, options: AgreementOptions) =>
  Effect.promise((signal) =>
    fc.assert(
      fc.asyncProperty(history(options.steps), (steps) =>
        Effect.runPromise(compare(layer, steps), { signal })
      ),
      { numRuns: options.runs }
    )
  )

type StoreService = Store["Service"]

const compare = <E>(layer: Layer.Layer<Store, E>, steps: ReadonlyArray<Step>) =>
  Effect.gen(function* () {
    const subject = Context.get(yield* Layer.build(Layer.fresh(layer)), Store)
    const reference = Context.get(yield* Layer.build(Layer.fresh(MemoryStore.layer)), Store)
    const versions = new Map<string, number>()
    let events = 0
    for (const step of steps) {
      if (step._tag === "Commit") {
        const missing = namedBy(step.writes.map(({ make }) => make(1, null))).filter(
          ({ id, kind }) => !versions.has(`${kind} ${id}`)
        )
        if (missing.length > 0) {
          const commit: Commit = { writes: missing.map(standIn), reliesOn: [], events: [] }
          for (const store of [subject, reference]) yield* store.commit(commit)
          for (const { id, kind } of missing) versions.set(`${kind} ${id}`, 1)
        }
        const commit = commitOf(step, versions, events)
        const expected = yield* outcomeOf(reference, commit)
        expectSame(yield* outcomeOf(subject, commit), expected)
        if (expected === "refused") continue
        for (const { kind, value } of commit.writes) {
          if (kind !== "entry") versions.set(`${kind} ${value.id}`, value.version)
        }
        events += commit.events.length
      } else if (step._tag === "Forget") {
        const expired = { repliesUntil: moment(step.repliesUntil), tasksUntil: moment(step.tasksUntil) }
        const dropped = yield* reference.forget(expired, step.limit)
        expectSame(yield* subject.forget(expired, step.limit), dropped)
        for (const n of numbers) {
          const id = sampleId("task", n)
          if ((yield* reference.tasks.byId(id)) === undefined) versions.delete(`task ${id}`)
        }
      } else {
        expectSame(yield* answer(subject, step), yield* answer(reference, step))
      }
    }
    expectSame(yield* everything(subject, events), yield* everything(reference, events))
  }).pipe(Effect.scoped)

/** Why a commit is refused is not compared: one that is both stale and taken may be refused as either. */
const outcomeOf = (store: StoreService, commit: Commit) =>
  store.commit(commit).pipe(
    Effect.as("done" as const),
    Effect.catch((error) =>
      error instanceof Unavailable ? Effect.fail(error) : Effect.succeed("refused" as const)
    )
  )

const commitOf = (attempt: Attempt, versions: ReadonlyMap<string, number>, eventCount: number): Commit => {
  const now = new Map(versions)
  return {
    reliesOn: attempt.reliesOn.map(({ kind, id, named }) => ({
      kind,
      id,
      version: (versions.get(`${kind} ${id}`) ?? 1) + off(named)
    })),
    writes: attempt.writes.map(({ kind, id, named, make }) => {
      const present = now.get(`${kind} ${id}`)
      const next = (present ?? 0) + 1
      now.set(`${kind} ${id}`, next)
      if (named === "present") return make(next, present ?? null)
      return make(next, present === undefined ? 1 : null)
    }),
    events: Array.from({ length: attempt.events }, (_, i) => sampleEvent(eventCount + i + 1)),
    deadlines: attempt.deadlines,
    ...(attempt.reply === undefined
      ? {}
      : { idempotency: sampleReply(attempt.reply, { expiresAt: moment(attempt.reply) }) })
  }
}

const off = (named: Named): number => (named === "present" ? 0 : 1)

const answer = (store: StoreService, question: Question) => {
  switch (question._tag) {
    case "Agents":
      return store.agents.list(question.page)
    case "Listings":
      return store.listings.list(question.filter, question.page)
    case "Requests":
      return store.requests.list(question.filter, question.page)
    case "Rfqs":
      return store.rfqs.list(question.filter, question.page)
    case "Quotes":
      return store.quotes.list(question.filter, question.page)
    case "Rooms":
      return store.rooms.list(question.filter, question.page)
    case "Reviews":
      return store.reviews.publishedOf(question.of, moment(question.at), question.page)
    case "Matches":
      return store.matches.list(question.filter, question.page)
    case "Webhooks":
      return store.webhooks.active(question.page)
    case "Tasks":
      return store.tasks.list(question.queue, question.page)
    case "TasksDue":
      return store.tasks.due(question.queue, moment(question.at), question.limit)
    case "QueuesDue":
      return store.tasks.queuesDue(question.kind, moment(question.at), question.except, question.limit)
    case "Holds":
      return store.holds.list(question.status, question.page)
    case "Deadlines":
      return store.deadlines.due(moment(question.at), question.limit)
    case "Entries":
      return store.rooms.entries(sampleId("deal_room", question.room), question.afterSeq, question.limit)
  }
}

const numbers = Array.from({ length: population }, (_, i) => i + 1)
const handles = ["atlas", "bazaar", "caravan", "dinar"]

/** All that a store can be asked about the population, in an order that does not depend on the store. */
const everything = (store: StoreService, eventCount: number) =>
  Effect.gen(function* () {
    const page = { limit: 100 }
    const events = yield* eventsBehind(0, eventCount, 3).pipe(Effect.provideService(Store, store))
    const each = <A, E>(read: (n: number) => Effect.Effect<A, E>) => Effect.forEach(numbers, read)
    const agents = numbers.map((n) => sampleId("agent", n))
    return {
      agents: yield* each((n) => store.agents.byId(sampleId("agent", n))),
      active: yield* store.agents.list(page),
      handles: yield* Effect.forEach(handles, (handle) => store.agents.byHandle(handle)),
      keys: yield* each((n) => store.keys.byDigest(sampleKey(n).digest)),
      listings: yield* store.listings.list({}, page),
      requests: yield* each((n) => store.requests.byId(sampleId("request", n))),
      rfqs: yield* each((n) => store.rfqs.byId(sampleId("rfq", n))),
      quotes: yield* each((n) => store.quotes.list({ rfqId: sampleId("rfq", n) }, page)),
      activeQuotes: yield* each((n) =>
        Effect.map(store.quotes.allActive(sampleId("rfq", n)), (quotes) =>
          quotes.map(({ id }) => id).toSorted()
        )
      ),
      activeOf: yield* each((n) =>
        Effect.forEach(agents, (agentId) => store.quotes.activeOf(sampleId("rfq", n), agentId))
      ),
      rooms: yield* Effect.forEach(agents, (agentId) => store.rooms.list({ participant: agentId }, page)),
      offers: yield* each((n) => store.rooms.offer(sampleId("offer", n))),
      entries: yield* each((n) => store.rooms.entries(sampleId("deal_room", n), 0, 100)),
      reviews: yield* each((n) =>
        Effect.map(store.reviews.ofRoom(sampleId("deal_room", n)), (reviews) =>
          reviews.toSorted((a, b) => (a.id < b.id ? -1 : 1))
        )
      ),
      matches: yield* store.matches.list({}, page),
      webhooks: yield* Effect.forEach(agents, (agentId) => store.webhooks.ofAgent(agentId)),
      tasks: yield* each((n) => store.tasks.byId(sampleId("task", n))),
      tasksDue: yield* Effect.forEach(queues, (queue) => store.tasks.due(queue, moment(100), 100)),
      nextTasks: [yield* store.tasks.next("delivery"), yield* store.tasks.next("settlement")],
      tasksOverdue: [
        yield* store.tasks.overdue("delivery", moment(5)),
        yield* store.tasks.overdue("settlement", moment(100))
      ],
      holds: yield* each((n) => store.holds.byId(sampleId("hold", n))),
      bookmarks: yield* each((n) => store.bookmarks.byId(sampleBookmark(n).id)),
      deadlines: yield* store.deadlines.due(moment(100), 100),
      next: yield* store.deadlines.next,
      overdue: yield* store.deadlines.overdue(moment(2)),
      replies: yield* each((n) => store.idempotency.byId(sampleReply(n).id)),
      events: events.map(({ event, audience }) => ({ event, audience }))
    }
  })
