import { assert, describe, it } from "@effect/vitest"
import { DateTime, Effect, Result } from "effect"
import { TestClock } from "effect/testing"
import {
  Agents,
  Canonical,
  DealRooms,
  Listings,
  Operators,
  Rfqs,
  Search,
  Settling,
  Store,
  verifyTranscript
} from "../../src/index.ts"
import type { ModeratedContent } from "../../src/index.ts"
import {
  agreeDeal,
  callForQuotes,
  codeOf,
  deliverDeal,
  inSeconds,
  negotiate,
  sides,
  transcriptOf,
  typesOf
} from "../fixtures.ts"
import { expectHidden, heard, holdsOf, moderation, onlyHold, publish } from "./moderators.ts"

describe("a listing that is held", () => {
  it.effect("waits as a draft that nobody else sees, until it is released", () => {
    const { market, shown } = moderation()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const listings = yield* Listings
      const listing = yield* publish(seller, "A dubious offer")
      const hold = yield* onlyHold
      assert.strictEqual(listing.status, "draft")
      assert.deepStrictEqual(listing.held, { holdId: hold.id, reason: "Somebody looks at it." })
      assert.deepStrictEqual((yield* listings.list(seller, { agent: "me" })).items, [listing])
      yield* expectHidden(listing, buyer)
      assert.isEmpty(yield* heard(buyer, listing.id))
      assert.strictEqual(yield* codeOf(listings.move(seller, listing.id, "activate")), "invalid_state")
      assert.strictEqual((yield* (yield* Operators).releaseHold(hold.id)).status, "released")
      const seen = yield* listings.get(buyer, listing.id)
      assert.strictEqual(seen.status, "active")
      assert.isUndefined(seen.held)
      assert.strictEqual((yield* (yield* Search).find(buyer, { q: "dubious" })).items.length, 1)
      assert.deepStrictEqual(yield* typesOf(listing.id), ["listing.published"])
      assert.deepStrictEqual(shown, ["listing: A dubious offer"], "the operator has the last word")
      assert.strictEqual(yield* codeOf((yield* Operators).releaseHold(hold.id)), "invalid_state")
      assert.isEmpty(yield* holdsOf())
    }).pipe(Effect.provide(market))
  })

  it.effect("is archived when it is refused, and its owner alone is told why", () => {
    const { market } = moderation()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const listing = yield* publish(seller, "A dubious offer")
      const hold = yield* onlyHold
      yield* (yield* Operators).refuseHold(hold.id, "A fake")
      assert.strictEqual((yield* (yield* Listings).get(seller, listing.id)).status, "archived")
      yield* expectHidden(listing, buyer)
      assert.isEmpty(yield* heard(buyer, listing.id))
      const told = yield* heard(seller, listing.id)
      assert.deepStrictEqual(
        told.map(({ data, type }) => [type, data["reason"]]),
        [["listing.archived", "A fake"]]
      )
      assert.strictEqual(yield* codeOf((yield* Operators).releaseHold(hold.id)), "invalid_state")
      assert.deepStrictEqual(
        (yield* holdsOf("refused")).map(({ id }) => id),
        [hold.id]
      )
    }).pipe(Effect.provide(market))
  })

  it.effect("was seen before: a change that is held pauses it", () => {
    const { market } = moderation()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const listings = yield* Listings
      const { id } = yield* publish(seller, "A fine offer")
      const { value } = yield* listings.update(seller, id, { title: "A dubious offer" })
      assert.strictEqual(value.status, "paused")
      yield* expectHidden(value, buyer)
      assert.deepStrictEqual(yield* typesOf(id), ["listing.published", "listing.paused"])
      yield* (yield* Operators).releaseHold((yield* onlyHold).id)
      assert.strictEqual((yield* listings.get(buyer, id)).title, "A dubious offer")
    }).pipe(Effect.provide(market))
  })

  it.effect("is looked at when it is activated, not while it is a draft", () => {
    const { market, shown } = moderation()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const listings = yield* Listings
      const draft = yield* publish(seller, "A dubious offer", "draft")
      assert.isEmpty(shown)
      const rehearsed = yield* listings.move(seller, draft.id, "activate", { validateOnly: true })
      assert.isDefined(rehearsed.value.held)
      assert.isEmpty(yield* holdsOf())
      const { value } = yield* listings.move(seller, draft.id, "activate")
      assert.strictEqual(value.status, "draft")
      yield* expectHidden(value, buyer)
      const hold = yield* onlyHold
      yield* listings.move(seller, draft.id, "archive")
      assert.isEmpty(yield* holdsOf(), "nothing waits for an operator that is not there")
      assert.strictEqual(yield* codeOf((yield* Operators).releaseHold(hold.id)), "invalid_state")
    }).pipe(Effect.provide(market))
  })

  it.effect("is taken back by its owner's next change, and looked at again when it is activated", () => {
    const { market } = moderation()
    return Effect.gen(function* () {
      const [, seller] = yield* sides
      const listings = yield* Listings
      const { id } = yield* publish(seller, "A dubious offer")
      const { value } = yield* listings.update(seller, id, { title: "A dubious deal" })
      assert.deepStrictEqual([value.status, value.held], ["draft", undefined])
      assert.isEmpty(yield* holdsOf())
      assert.deepStrictEqual(
        (yield* holdsOf("refused")).map(({ note }) => note),
        ["Its owner took it back."]
      )
      assert.isDefined((yield* listings.move(seller, id, "activate")).value.held)
      yield* listings.update(seller, id, { title: "A fine deal" })
      assert.strictEqual((yield* listings.move(seller, id, "activate")).value.status, "active")
      assert.isEmpty(yield* holdsOf())
    }).pipe(Effect.provide(market))
  })

  it.effect("leaves no hold behind when the operator archives it", () => {
    const { market } = moderation()
    return Effect.gen(function* () {
      const [, seller] = yield* sides
      const { id } = yield* publish(seller, "A dubious offer")
      yield* (yield* Operators).archiveListing(id, "A fake")
      assert.isEmpty(yield* holdsOf())
    }).pipe(Effect.provide(market))
  })
})

describe("an RFQ that is held", () => {
  it.effect("waits as a draft that nobody else sees, until it is released", () => {
    const { market } = moderation()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rfqs = yield* Rfqs
      const rfq = yield* callForQuotes(buyer, { title: "A dubious need" })
      assert.strictEqual(rfq.status, "draft")
      yield* expectHidden(rfq, seller)
      assert.strictEqual(yield* codeOf(rfqs.move(buyer, rfq.id, "open")), "invalid_state")
      yield* (yield* Operators).releaseHold((yield* onlyHold).id)
      const seen = yield* rfqs.get(seller, rfq.id)
      assert.strictEqual(seen.status, "open")
      assert.isUndefined(seen.held)
      assert.deepStrictEqual(yield* typesOf(rfq.id), ["rfq.opened"])
    }).pipe(Effect.provide(market))
  })

  it.effect("goes back to its buyer when it is refused, or its deadline has passed meanwhile", () => {
    const { market } = moderation()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const [operators, rfqs] = yield* Effect.all([Operators, Rfqs])
      const rfq = yield* callForQuotes(buyer, { title: "A dubious need" })
      const hold = yield* onlyHold
      yield* TestClock.adjust("86370 seconds")
      assert.strictEqual(yield* codeOf(operators.releaseHold(hold.id)), "invalid_request")
      yield* operators.refuseHold(hold.id, "Name another deadline")
      const draft = yield* rfqs.get(buyer, rfq.id)
      assert.deepStrictEqual([draft.status, draft.held], ["draft", undefined])
      yield* expectHidden(draft, seller)
      const told = yield* heard(buyer, rfq.id)
      assert.deepStrictEqual(
        told.map(({ data, type }) => [type, data["reason"]]),
        [["rfq.updated", "Name another deadline"]]
      )
      const quoteDeadline = yield* inSeconds(86_400)
      const awardBy = DateTime.add(quoteDeadline, { days: 1 })
      yield* rfqs.update(buyer, rfq.id, { title: "A fine need", quoteDeadline, awardBy })
      assert.strictEqual((yield* rfqs.move(buyer, rfq.id, "open")).value.status, "open")
    }).pipe(Effect.provide(market))
  })

  it.effect("waits no longer than for its deadline: then its buyer has it again", () => {
    const { market } = moderation()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const [operators, rfqs] = yield* Effect.all([Operators, Rfqs])
      const rfq = yield* callForQuotes(buyer, { title: "A dubious need" })
      const hold = yield* onlyHold
      yield* TestClock.adjust("1 day")
      assert.isUndefined((yield* rfqs.get(buyer, rfq.id)).held)
      assert.strictEqual(yield* codeOf(operators.releaseHold(hold.id)), "invalid_state")
      assert.strictEqual(yield* (yield* Settling).sweep(100), 1)
      assert.isEmpty(yield* holdsOf())
      assert.deepStrictEqual(yield* typesOf(rfq.id), ["rfq.updated"])
      yield* expectHidden(yield* rfqs.get(buyer, rfq.id), seller)
      const quoteDeadline = yield* inSeconds(86_400)
      const awardBy = DateTime.add(quoteDeadline, { days: 1 })
      yield* rfqs.update(buyer, rfq.id, { title: "A fine need", quoteDeadline, awardBy })
      assert.strictEqual((yield* rfqs.move(buyer, rfq.id, "open")).value.status, "open")
    }).pipe(Effect.provide(market))
  })

  it.effect("is taken back by its buyer: changed, or cancelled, which nobody else sees", () => {
    const { market } = moderation()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rfqs = yield* Rfqs
      const first = yield* callForQuotes(buyer, { title: "A dubious need" })
      const { value } = yield* rfqs.update(buyer, first.id, { title: "A fine need" })
      assert.deepStrictEqual([value.status, value.held], ["draft", undefined])
      assert.strictEqual((yield* rfqs.move(buyer, first.id, "open")).value.status, "open")
      const second = yield* callForQuotes(buyer, { title: "A dubious need" })
      const cancelled = yield* rfqs.move(buyer, second.id, "cancel")
      assert.deepStrictEqual([cancelled.value.status, cancelled.value.held], ["cancelled", undefined])
      assert.strictEqual(yield* codeOf(rfqs.get(seller, second.id)), "not_found")
      assert.isEmpty((yield* rfqs.list(seller, { status: "cancelled" })).items)
      assert.isEmpty(yield* heard(seller, second.id))
      assert.isEmpty(yield* holdsOf())
    }).pipe(Effect.provide(market))
  })

  it.effect("never shows the seed of its seal to the host", () => {
    const { market, mood } = moderation()
    const seen: Array<ModeratedContent> = []
    mood.review = (content) =>
      Effect.sync(() => {
        seen.push(content)
        return { outcome: "allowed" }
      })
    return Effect.gen(function* () {
      const [buyer] = yield* sides
      const { id } = yield* callForQuotes(buyer, { quoteMode: "sealed" })
      const seed = (yield* (yield* Store).rfqs.byId(id))?.seal?.seed
      assert(seed !== undefined)
      yield* (yield* Rfqs).update(buyer, id, { description: "More of it" })
      const cancelled = yield* (yield* Operators).cancelRfq(id, "Not here")
      assert.notInclude(JSON.stringify([seen, cancelled]), seed)
    }).pipe(Effect.provide(market))
  })

  it.effect("stays as it was where it is open: a change that would have to wait is refused", () => {
    const { market } = moderation()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rfqs = yield* Rfqs
      const rfq = yield* callForQuotes(buyer)
      const change = rfqs.update(buyer, rfq.id, { title: "A dubious need" })
      assert.strictEqual(yield* codeOf(change), "policy_refused")
      assert.deepStrictEqual(yield* rfqs.get(seller, rfq.id), rfq)
      assert.isEmpty(yield* holdsOf())
    }).pipe(Effect.provide(market))
  })
})

describe("what is held of one who may not write", () => {
  it.effect("is not released while its owner is suspended", () => {
    const { market } = moderation()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const operators = yield* Operators
      yield* publish(seller, "A dubious offer")
      yield* callForQuotes(buyer, { title: "A dubious need" })
      const holds = yield* holdsOf()
      for (const id of [buyer, seller]) yield* operators.suspend(id, "Spam")
      for (const { id } of holds)
        assert.strictEqual(yield* codeOf(operators.releaseHold(id)), "invalid_state")
      for (const id of [buyer, seller]) yield* operators.reinstate(id)
      for (const { id } of holds) assert.strictEqual((yield* operators.releaseHold(id)).status, "released")
    }).pipe(Effect.provide(market))
  })

  it.effect("ends with the account, and with its drafts and what it has not said", () => {
    const { market } = moderation()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const [operators, listings, rfqs, rooms] = yield* Effect.all([Operators, Listings, Rfqs, DealRooms])
      const room = yield* negotiate(buyer, seller)
      yield* rooms.say(buyer, room.id, { text: "A dubious link" })
      const rfq = yield* callForQuotes(buyer, { title: "A dubious need" })
      const draft = yield* callForQuotes(buyer, { status: "draft" })
      const listing = yield* publish(buyer, "A dubious offer")
      const deal = yield* agreeDeal(buyer, seller)
      yield* rooms.say(buyer, deal.id, { text: "A dubious file" })
      yield* (yield* Agents).close(buyer)
      assert.deepStrictEqual(
        [
          (yield* rfqs.get(buyer, rfq.id)).status,
          (yield* rfqs.get(buyer, draft.id)).status,
          (yield* listings.get(buyer, listing.id)).status
        ],
        ["cancelled", "cancelled", "archived"]
      )
      for (const { id } of [rfq, draft]) assert.strictEqual(yield* codeOf(rfqs.get(seller, id)), "not_found")
      // The deal goes on, and what was held of it can be said.
      const hold = yield* onlyHold
      assert.strictEqual((yield* operators.releaseHold(hold.id)).status, "released")
      assert.strictEqual((yield* holdsOf("refused")).length, 3)
    }).pipe(Effect.provide(market))
  })
})

describe("a message that is held", () => {
  const message = { text: "A dubious link", data: { url: "https://example.com" } }

  it.effect("has its place in the transcript, and its text when it is released", () => {
    const { market } = moderation()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const { id } = yield* agreeDeal(buyer, seller)
      const { entry, held } = (yield* rooms.say(buyer, id, message)).value
      const hold = yield* onlyHold
      assert(hold.subject.kind === "message")
      const { salt = "" } = hold.subject
      assert.match(salt, /^[0-9a-f]{32}$/u)
      assert.deepStrictEqual(entry.body, {
        held: true,
        messageDigest: Canonical.digest({ ...message, salt })
      })
      assert.deepStrictEqual(held, { holdId: hold.id, reason: "Somebody looks at it." })
      yield* rooms.say(seller, id, { text: "Are you there?" })
      const before = yield* transcriptOf(seller, id)
      const spoken = JSON.stringify([before, yield* heard(seller, id), yield* rooms.get(seller, id)])
      for (const secret of ["dubious", salt, hold.id, hold.reason]) assert.notInclude(spoken, secret)
      yield* (yield* Operators).releaseHold(hold.id)
      const entries = yield* transcriptOf(seller, id)
      assert.deepStrictEqual(entries.slice(0, -1), before)
      const last = entries.at(-1)
      assert.deepStrictEqual(last?.body, { ...message, salt, releases: entry.seq })
      assert.deepStrictEqual([last?.kind, last?.authorId], ["message", buyer])
      const verified = verifyTranscript(entries)
      assert(Result.isSuccess(verified))
      assert.strictEqual(verified.success.headHash, (yield* rooms.get(seller, id)).headHash)
    }).pipe(Effect.provide(market))
  })

  it.effect("is never said when it is refused, and its author alone is told why", () => {
    const { market } = moderation()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const { id } = yield* agreeDeal(buyer, seller)
      const rooms = yield* DealRooms
      yield* rooms.say(buyer, id, message)
      const before = yield* transcriptOf(seller, id)
      const { version } = yield* rooms.get(seller, id)
      yield* (yield* Operators).refuseHold((yield* onlyHold).id, "No links")
      assert.deepStrictEqual(yield* transcriptOf(seller, id), before)
      assert.isTrue(Result.isSuccess(verifyTranscript(before)))
      const seq = before.length
      for (const reader of [buyer, seller]) {
        const told = (yield* heard(reader, id)).at(-1)
        assert.deepInclude(told?.data, { seq, refused: true })
        assert.deepStrictEqual(told?.subject.version, version + 1)
        assert.strictEqual((yield* rooms.get(reader, id)).version, version + 1)
      }
      assert.deepStrictEqual((yield* rooms.get(buyer, id)).refusals, [
        { seq, byId: buyer, reason: "No links" }
      ])
      const seen = [yield* rooms.get(seller, id), yield* rooms.list(seller, {}), yield* heard(seller, id)]
      assert.notInclude(JSON.stringify(seen), "No links")
      const replied = yield* rooms.say(seller, id, { text: "Are you there?" })
      assert.notInclude(JSON.stringify(replied), "No links")
    }).pipe(Effect.provide(market))
  })

  it.effect("is not released into a room that has ended", () => {
    const { market } = moderation()
    return Effect.gen(function* () {
      const [buyer, seller] = yield* sides
      const rooms = yield* DealRooms
      const { id } = yield* deliverDeal(buyer, seller)
      yield* rooms.say(buyer, id, message)
      yield* TestClock.adjust("73 hours")
      const hold = yield* onlyHold
      assert.strictEqual(yield* codeOf((yield* Operators).releaseHold(hold.id)), "invalid_state")
      yield* (yield* Operators).refuseHold(hold.id, "Too late")
    }).pipe(Effect.provide(market))
  })
})
