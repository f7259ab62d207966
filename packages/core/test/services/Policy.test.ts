import { assert, describe, it } from "@effect/vitest"
import { Effect, Fiber, Layer } from "effect"
import { TestClock } from "effect/testing"
import {
  Agents,
  DealRooms,
  Keys,
  Listings,
  Market,
  Matches,
  Matching,
  MemoryStore,
  MiniSearchIndex,
  Policy,
  policyActions,
  Quotes,
  Requests,
  Rfqs,
  Settling,
  Store,
  waysOut,
  WebhookSender,
  Webhooks
} from "../../src/index.ts"
import type { AgentAction, AgentId, PolicyQuestion, PolicyVerdict } from "../../src/index.ts"
import {
  acceptOffer,
  agreeDeal,
  callForQuotes,
  codeOf,
  deliverDeal,
  distantStore,
  inSeconds,
  join,
  listingInput,
  market,
  negotiate,
  offerIn,
  seededRandom,
  submitQuote,
  terms
} from "../fixtures.ts"

const allowed: Effect.Effect<PolicyVerdict> = Effect.succeed({ outcome: "allowed" })
const refused: Effect.Effect<PolicyVerdict> = Effect.succeed({
  outcome: "refused",
  reason: "Not on Sundays."
})

/** Receivers of webhooks that take everything, but for one that is gone. */
const receivers = Layer.succeed(WebhookSender, {
  objection: () => undefined,
  send: ({ url }) => Effect.succeed({ status: url.includes("gone") ? 410 : 204 })
})

/** A policy that a test changes its mind of, and what it was asked. */
const policy = () => {
  const asked: Array<PolicyQuestion> = []
  const state: { answer: Effect.Effect<PolicyVerdict, unknown> } = { answer: allowed }
  const layer = Layer.succeed(Policy, {
    check: (question) =>
      Effect.suspend(() => {
        asked.push(question)
        return state.answer
      })
  })
  return { asked, state, market: Layer.provide(market(), [layer, receivers]) }
}

/** A question, a match, a webhook with a delivery, and one that was disabled since its receiver is gone. */
const others = Effect.fnUntraced(function* (buyer: AgentId, seller: AgentId) {
  const [listings, requests, rfqs, webhooks] = yield* Effect.all([Listings, Requests, Rfqs, Webhooks])
  const { value: askedIn } = yield* rfqs.ask(seller, (yield* callForQuotes(buyer)).id, { text: "When?" })
  yield* requests.open(buyer, { title: "Translate legal texts", tags: ["legal"] })
  yield* listings.publish(seller, listingInput({ tags: ["legal"] }))
  yield* Effect.repeat((yield* Matching).round, { while: (count) => count > 0 })
  const [match] = (yield* (yield* Matches).list(buyer, {})).items
  const types = ["listing.*"] as const
  const hook = yield* webhooks.create(seller, { url: "https://here.example", types })
  const gone = yield* webhooks.create(seller, { url: "https://gone.example", types })
  yield* listings.publish(seller, listingInput())
  yield* TestClock.adjust("1 minute")
  const [told] = (yield* webhooks.deliveries(seller, hook.value.webhook.id, {})).items
  assert(match !== undefined && told !== undefined)
  return {
    askedIn,
    dismissed: match.id,
    hook: hook.value.webhook.id,
    gone: gone.value.webhook.id,
    told: told.id
  }
})

/** Every write that an agent can make, each ready to be made. */
const writes = Effect.gen(function* () {
  const [agents, keys, listings, requests] = yield* Effect.all([Agents, Keys, Listings, Requests])
  const [rfqs, quotes, rooms] = yield* Effect.all([Rfqs, Quotes, DealRooms])
  const [buyer, seller, leaver] = yield* Effect.all([join("buyer"), join("seller"), join("leaver")])
  const key = Effect.map(keys.create(buyer, { label: "spare" }), ({ value }) => value.key.id)
  const listing = Effect.map(listings.publish(seller, listingInput()), ({ value }) => value.id)
  const draft = yield* listings.publish(seller, listingInput({ status: "draft" }))
  const request = Effect.map(requests.open(buyer, { title: "Translate" }), ({ value }) => value.id)
  const rfq = Effect.map(callForQuotes(buyer), ({ id }) => id)
  const rfqDraft = yield* callForQuotes(buyer, { status: "draft" })
  const closed = yield* rfq
  yield* rfqs.move(buyer, closed, "close")
  const quoted = yield* rfq
  const revised = yield* submitQuote(seller, quoted)
  const awarded = yield* submitQuote(seller, yield* rfq)
  const declined = yield* submitQuote(seller, yield* rfq)
  const withdrawn = yield* submitQuote(seller, yield* rfq)
  const negotiation = negotiate(buyer, seller)
  const accepted = yield* negotiation
  const countered = yield* negotiation
  const rejected = yield* negotiation
  const retracted = yield* negotiation
  const given = yield* negotiation
  const underWay = yield* agreeDeal(buyer, seller)
  const delivered = yield* deliverDeal(buyer, seller)
  const sentBack = yield* deliverDeal(buyer, seller)
  const completed = yield* deliverDeal(buyer, seller)
  yield* rooms.complete(buyer, completed.id)
  const { askedIn, dismissed, gone, hook, told } = yield* others(buyer, seller)
  const [matches, webhooks] = yield* Effect.all([Matches, Webhooks])
  const made: Record<AgentAction, Effect.Effect<unknown, { readonly code: string }, Rfqs | DealRooms>> = {
    "agent.update": agents.update(buyer, { description: "New" }),
    "agent.close": agents.close(leaver),
    "key.create": key,
    "key.rotate": keys.rotate(buyer, yield* key, {}),
    "key.revoke": keys.revoke(buyer, yield* key),
    "listing.publish": listing,
    "listing.update": listings.update(seller, yield* listing, { title: "Another" }),
    "listing.activate": listings.move(seller, draft.value.id, "activate"),
    "listing.pause": listings.move(seller, yield* listing, "pause"),
    "listing.archive": listings.move(seller, yield* listing, "archive"),
    "request.open": request,
    "request.update": requests.update(buyer, yield* request, { title: "Another" }),
    "request.fulfil": requests.end(buyer, yield* request, "fulfil"),
    "request.cancel": requests.end(buyer, yield* request, "cancel"),
    "rfq.create": rfq,
    "rfq.update": rfqs.update(buyer, yield* rfq, { title: "Another" }),
    "rfq.open": rfqs.move(buyer, rfqDraft.id, "open"),
    "rfq.close": rfqs.move(buyer, yield* rfq, "close"),
    "rfq.cancel": rfqs.move(buyer, yield* rfq, "cancel"),
    "rfq.unsuccessful": rfqs.move(buyer, closed, "unsuccessful"),
    "rfq.award": rfqs.award(buyer, awarded.rfqId, { quoteId: awarded.id }),
    "quote.submit": quotes.submit(seller, yield* rfq, { terms: terms("300") }),
    "quote.revise": quotes.revise(seller, revised.id, { terms: terms("300") }),
    "quote.withdraw": quotes.withdraw(seller, withdrawn.id, undefined),
    "quote.decline": quotes.decline(buyer, declined.id, undefined),
    "deal_room.open": negotiation,
    "deal_room.message": rooms.say(buyer, underWay.id, { text: "Hello" }),
    "deal_room.offer": rooms.offer(seller, countered.id, { terms: terms("110") }),
    "deal_room.accept": acceptOffer(seller, accepted),
    "deal_room.reject": rooms.clearOffer(seller, rejected.id, offerIn(rejected).id, "reject", undefined),
    "deal_room.withdraw": rooms.clearOffer(buyer, retracted.id, offerIn(retracted).id, "withdraw", undefined),
    "deal_room.decline": rooms.decline(seller, given.id, undefined),
    "deal_room.deliver": rooms.deliver(seller, (yield* agreeDeal(buyer, seller)).id, { note: "done" }),
    "deal_room.complete": rooms.complete(buyer, delivered.id),
    "deal_room.request_changes": rooms.requestChanges(buyer, sentBack.id, "Page 12 is missing"),
    "deal_room.cancel": rooms.cancel(buyer, underWay.id, undefined),
    "deal_room.dispute": rooms.dispute(buyer, (yield* agreeDeal(buyer, seller)).id, "Late"),
    "deal_room.review": rooms.review(buyer, completed.id, { rating: 5 }),
    "rfq.ask": rfqs.ask(seller, yield* rfq, { text: "When?" }),
    "rfq.answer": rfqs.answer(buyer, askedIn.rfq.id, askedIn.question.id, { text: "Soon." }),
    "match.dismiss": matches.dismiss(buyer, dismissed),
    "webhook.create": webhooks.create(seller, { url: "https://there.example", types: ["rfq.*"] }),
    "webhook.rotate": webhooks.rotate(seller, hook, {}),
    "webhook.enable": webhooks.enable(seller, gone),
    "webhook.replay": webhooks.replay(seller, hook, told),
    "webhook.remove": webhooks.remove(seller, hook)
  }
  return made
})

describe("a policy that refuses everything", () => {
  it.effect("keeps agents from whatever they begin or go on with, and tells them why", () => {
    const { asked, market, state } = policy()
    return Effect.gen(function* () {
      const made = yield* writes
      const events = (yield* Store).events.latest
      const before = yield* events
      state.answer = refused
      asked.length = 0
      for (const action of policyActions) {
        const refusal = yield* Effect.flip(made[action])
        assert.strictEqual(refusal.code, "policy_refused", action)
        assert.include(String(refusal), "Not on Sundays.", action)
      }
      assert.strictEqual(yield* events, before, "nothing happened")
      assert.deepStrictEqual(
        asked.map(({ action }) => action),
        [...policyActions]
      )
      state.answer = allowed
      for (const action of policyActions) assert.strictEqual(yield* codeOf(made[action]), "done", action)
    }).pipe(Effect.provide(market))
  })

  it.effect("keeps nobody from a way out", () => {
    const { asked, market, state } = policy()
    return Effect.gen(function* () {
      const made = yield* writes
      state.answer = refused
      asked.length = 0
      for (const action of waysOut) assert.strictEqual(yield* codeOf(made[action]), "done", action)
      assert.isEmpty(asked)
    }).pipe(Effect.provide(market))
  })

  it.effect("stands in the way of nothing that time does", () => {
    const { asked, market, state } = policy()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* Effect.all([join("buyer"), join("seller")])
      const rooms = yield* DealRooms
      const rfq = yield* callForQuotes(buyer)
      const expiresAt = yield* inSeconds(3600)
      yield* (yield* Requests).open(buyer, { title: "Translate", expiresAt })
      yield* submitQuote(seller, rfq.id)
      const late = yield* agreeDeal(buyer, seller)
      const unanswered = yield* deliverDeal(buyer, seller)
      const disputed = yield* agreeDeal(buyer, seller)
      yield* rooms.dispute(buyer, disputed.id, "Not what was agreed")
      state.answer = refused
      asked.length = 0
      yield* TestClock.adjust("31 days")
      assert.strictEqual(yield* (yield* Settling).sweep(100), 6)
      const statusOf = (id: typeof late.id) => Effect.map(rooms.get(buyer, id), ({ status }) => status)
      assert.strictEqual(yield* statusOf(late.id), "expired")
      assert.strictEqual(yield* statusOf(unanswered.id), "completed")
      assert.strictEqual(yield* statusOf(disputed.id), "refunded")
      assert.isEmpty(asked)
    }).pipe(Effect.provide(market))
  })

  it.effect("refuses in the same words what is there, what is hidden and what never was", () => {
    const { asked, market, state } = policy()
    return Effect.gen(function* () {
      const [buyer, seller, other] = yield* Effect.all([join("buyer"), join("seller"), join("other")])
      const { id } = yield* agreeDeal(buyer, seller)
      const rooms = yield* DealRooms
      state.answer = refused
      asked.length = 0
      const replies = yield* Effect.forEach([buyer, other], (by) =>
        Effect.flip(rooms.deliver(by, id, { note: "done" }))
      )
      assert.deepStrictEqual(
        replies.map(({ code, message }) => `${code}: ${message}`),
        ["policy_refused: Not on Sundays.", "policy_refused: Not on Sundays."]
      )
      assert.deepStrictEqual(
        asked.map(({ agent, action, subject }) => [agent.id, action, subject]),
        [
          [buyer, "deal_room.deliver", id],
          [other, "deal_room.deliver", id]
        ]
      )
    }).pipe(Effect.provide(market))
  })
})

describe("a policy that cannot answer", () => {
  const publish = Effect.fnUntraced(function* (by: Effect.Success<ReturnType<typeof join>>) {
    return yield* codeOf((yield* Listings).publish(by, listingInput()))
  })

  it.effect("makes writes unavailable, and is never taken for a yes", () => {
    const { market, state } = policy()
    return Effect.gen(function* () {
      const seller = yield* join("seller")
      const nonsense: PolicyVerdict = JSON.parse('{ "outcome": "maybe" }')
      const empty: PolicyVerdict = JSON.parse("null")
      for (const answer of [
        Effect.fail("no connection"),
        Effect.die(new Error("a bug")),
        Effect.succeed(nonsense),
        Effect.succeed(empty)
      ]) {
        state.answer = answer
        assert.strictEqual(yield* publish(seller), "unavailable")
      }
      assert.isEmpty((yield* (yield* Listings).list(seller, { agent: "me" })).items)
    }).pipe(Effect.provide(market))
  })

  it.effect("is waited for no longer than ten seconds", () => {
    const { market, state } = policy()
    return Effect.gen(function* () {
      const seller = yield* join("seller")
      state.answer = Effect.never
      const waiting = yield* Effect.forkChild(publish(seller))
      yield* TestClock.adjust("10 seconds")
      assert.strictEqual(yield* Fiber.join(waiting), "unavailable")
    }).pipe(Effect.provide(market))
  })
})

describe("a policy that takes its time", () => {
  const slow = Effect.delay(allowed, "9 seconds")

  /** A market on some store, whose policy thinks long about one agent. */
  const slowOn = (store: Layer.Layer<Store>) => {
    const about: { agent?: AgentId; asked: number } = { asked: 0 }
    const layer = Layer.succeed(Policy, {
      check: ({ agent }) =>
        Effect.suspend(() => {
          if (agent.id !== about.agent) return allowed
          about.asked++
          return slow
        })
    })
    const market = Market.layer({ sweepEverySeconds: "off", matching: "off" }).pipe(
      Layer.provideMerge(Layer.mergeAll(store, MiniSearchIndex.layer, seededRandom(11))),
      Layer.provide(layer)
    )
    return { about, market }
  }

  it.effect("keeps only him waiting whom it thinks about", () => {
    const { about, market } = slowOn(MemoryStore.layer)
    return Effect.gen(function* () {
      const [buyer, seller, stranger] = yield* Effect.all([join("buyer"), join("seller"), join("stranger")])
      const rooms = yield* DealRooms
      const rfqs = yield* Rfqs
      const room = yield* negotiate(buyer, seller)
      const rfq = yield* callForQuotes(buyer)
      about.agent = stranger
      const meddling = yield* Effect.forkChild(
        Effect.all(
          [
            codeOf(rooms.say(stranger, room.id, { text: "Hello" })),
            codeOf(rooms.say(stranger, room.id, { text: "Hello?" })),
            codeOf(rfqs.update(stranger, rfq.id, { title: "Mine" }))
          ],
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust("1 second")
      const dealing = yield* Effect.forkChild(
        Effect.all([acceptOffer(seller, room), rfqs.update(buyer, rfq.id, { title: "Another" })])
      )
      yield* TestClock.adjust(1)
      assert.isDefined(dealing.pollUnsafe(), "nobody waits for a stranger")
      yield* TestClock.adjust("20 seconds")
      assert.deepStrictEqual(yield* Fiber.join(meddling), ["not_found", "not_found", "forbidden"])
      assert.strictEqual(about.asked, 3, "once for each write")
    }).pipe(Effect.provide(market))
  })

  it.effect("keeps nobody waiting whose deals have met with others", () => {
    const { about, market } = slowOn(distantStore)
    return Effect.gen(function* () {
      const names = ["one", "two", "three", "four", "seller", "vendor"]
      const [one, two, three, four, seller, vendor] = yield* Effect.forEach(names, join)
      assert(one && two && three && four && seller && vendor)
      const rooms = yield* DealRooms
      const deals = yield* Effect.all([
        deliverDeal(one, seller),
        deliverDeal(two, seller),
        deliverDeal(three, vendor),
        deliverDeal(four, vendor)
      ])
      about.agent = one
      const first = yield* Effect.forkChild(
        Effect.all([rooms.complete(two, deals[1].id), rooms.complete(one, deals[0].id)], { concurrency: 2 })
      )
      yield* TestClock.adjust("10 millis")
      const second = yield* Effect.forkChild(
        Effect.all([rooms.complete(three, deals[2].id), rooms.complete(four, deals[3].id)], {
          concurrency: 2
        })
      )
      for (let n = 0; n < 5; n++) yield* TestClock.adjust("1 second")
      assert.isDefined(second.pollUnsafe())
      assert.isUndefined(first.pollUnsafe())
      yield* TestClock.adjust("1 minute")
      yield* Fiber.join(first)
    }).pipe(Effect.provide(market))
  })
})
