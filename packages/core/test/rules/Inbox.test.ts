import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { after, DealRoomStatus, RfqStatus } from "../../src/index.ts"
import type { DealRoom, InboxItem, Rfq } from "../../src/index.ts"
import { permitRoom, roomActions } from "../../src/rules/DealRooms.ts"
import type { DealRoomMove } from "../../src/rules/DealRooms.ts"
import { placeForm, placeOf, quoteItem, rfqItem, roomItem } from "../../src/rules/Inbox.ts"
import {
  buyer,
  idOf,
  now,
  sampleOffer,
  sampleQuestion,
  sampleQuote,
  sampleRfq,
  sampleRoom,
  sampleTerms,
  seller
} from "./samples.ts"

const third = idOf("agent", 3)
const inAnHour = after(now, 3600)

const names = (item: InboxItem | undefined) => item?.actions.map(({ action }) => action)

describe("a deal room", () => {
  const waitsFor = (room: DealRoom) =>
    [buyer, seller, third].map((viewer) => roomItem(room, viewer, now) !== undefined)
  const agreement = {
    offerId: sampleOffer(buyer).id,
    terms: sampleTerms,
    termsDigest: sampleOffer(buyer).termsDigest,
    agreedAt: now
  }
  const room = (overrides: Partial<DealRoom>) => sampleRoom({ agreement, ...overrides })

  it("waits for the side whose move it is, for both where no offer stands, and for nobody else", () => {
    assert.deepStrictEqual(waitsFor(sampleRoom()), [true, true, false])
    assert.deepStrictEqual(waitsFor(sampleRoom({ currentOffer: sampleOffer(buyer) })), [false, true, false])
    assert.deepStrictEqual(waitsFor(sampleRoom({ currentOffer: sampleOffer(seller) })), [true, false, false])
    const cleared = sampleOffer(seller, { status: "rejected" })
    assert.deepStrictEqual(waitsFor(sampleRoom({ currentOffer: cleared })), [true, true, false])
    const statuses = DealRoomStatus.literals.filter((status) => status !== "negotiating")
    assert.deepStrictEqual(
      Object.fromEntries(statuses.map((status) => [status, waitsFor(room({ status }))])),
      {
        agreed: [false, false, false],
        in_progress: [false, true, false],
        delivered: [true, false, false],
        changes_requested: [false, true, false],
        disputed: [false, false, false],
        completed: [true, true, false],
        declined: [false, false, false],
        expired: [false, false, false],
        cancelled: [false, false, false],
        refunded: [false, false, false],
        split: [false, false, false]
      }
    )
  })

  it("waits for the side that is asked to cancel", () => {
    const asked = room({ status: "in_progress", cancelRequestedBy: "seller" })
    assert.deepStrictEqual(waitsFor(asked), [true, true, false])
    assert.include(names(roomItem(asked, buyer, now)) ?? [], "cancel")
    assert.notInclude(names(roomItem(asked, seller, now)) ?? [], "cancel")
    assert.deepStrictEqual(waitsFor({ ...asked, cancelRequestedBy: "buyer" }), [false, true, false])
  })

  it("waits for a review until it is given, or its time is over", () => {
    const completed = room({ status: "completed", deadlines: { reviewsDueBy: inAnHour } })
    assert.deepStrictEqual(roomItem(completed, buyer, now)?.deadline, inAnHour)
    assert.deepStrictEqual(waitsFor({ ...completed, reviewedBy: ["buyer"] }), [false, true, false])
    assert.isUndefined(roomItem(completed, buyer, inAnHour))
  })

  it("has the soonest deadline of what is awaited, not of what is merely possible", () => {
    const offer = sampleRoom({
      currentOffer: sampleOffer(buyer),
      deadlines: { offerExpiresAt: inAnHour }
    })
    assert.deepStrictEqual(roomItem(offer, seller, now)?.deadline, inAnHour)
    const work = room({ status: "in_progress", deadlines: { deliverBy: inAnHour } })
    assert.deepStrictEqual(roomItem(work, seller, now)?.deadline, inAnHour)
    assert.strictEqual(roomItem({ ...work, cancelRequestedBy: "seller" }, buyer, now)?.deadline, null)
  })

  it("offers its reader the moves that are permitted to him, all of them and no others", () => {
    const side = fc.constantFrom("buyer" as const, "seller" as const)
    const shape = fc.record({
      status: fc.constantFrom(...DealRoomStatus.literals),
      offerBy: fc.constantFrom(buyer, seller, undefined),
      cancelRequestedBy: fc.option(side, { nil: undefined }),
      reviewedBy: fc.uniqueArray(side),
      changesRequested: fc.nat({ max: 2 })
    })
    fc.assert(
      fc.property(shape, side, ({ offerBy, cancelRequestedBy, ...fields }, who) => {
        const made = room({
          ...fields,
          ...(offerBy === undefined ? {} : { currentOffer: sampleOffer(offerBy) }),
          ...(cancelRequestedBy === undefined ? {} : { cancelRequestedBy })
        })
        const item = roomItem(made, who === "buyer" ? buyer : seller, now)
        if (item === undefined) return
        const mine = roomActions(made, now).filter(({ by }) => by === who)
        assert.deepStrictEqual(item.actions, mine)
        for (const { action } of item.actions) {
          const moves: ReadonlyArray<DealRoomMove> = ["message", "offer", "accept", "deliver", "complete"]
          const move = moves.find((move) => move === action)
          if (move !== undefined) assert.isTrue(Result.isSuccess(permitRoom(made, move, who)))
        }
      })
    )
  })
})

describe("an RFQ", () => {
  const invited = sampleRfq({ visibility: "invited", invitees: [seller] })
  const waits = (rfq: Rfq, viewer = buyer) => names(rfqItem(rfq, viewer))

  it("waits for its buyer as a draft, with an unanswered question, and for a decision", () => {
    const questions = [sampleQuestion()]
    const seen = Object.fromEntries(
      RfqStatus.literals.map((status) => [status, waits(sampleRfq({ status }))])
    )
    assert.deepStrictEqual(seen, {
      draft: ["update", "open", "cancel"],
      open: undefined,
      evaluating: ["award", "cancel", "unsuccessful"],
      awarded: undefined,
      unsuccessful: undefined,
      cancelled: undefined
    })
    assert.include(waits(sampleRfq({ questions })) ?? [], "answer")
    assert.isUndefined(waits(sampleRfq({ questions, status: "awarded" })))
    const deadlines = [
      rfqItem(sampleRfq({ status: "draft" }), buyer),
      rfqItem(sampleRfq({ questions }), buyer),
      rfqItem(sampleRfq({ status: "evaluating" }), buyer)
    ].map((item) => item?.deadline)
    assert.deepStrictEqual(deadlines, [inAnHour, inAnHour, after(now, 7200)])
  })

  it("waits for a quote of those who are invited by name, while there is a place", () => {
    assert.deepStrictEqual(waits(invited, seller), ["ask", "quote"])
    assert.deepStrictEqual(rfqItem(invited, seller)?.deadline, inAnHour)
    assert.isUndefined(waits(invited, third))
    assert.isUndefined(waits(sampleRfq(), seller))
    assert.isUndefined(waits({ ...invited, maxQuotes: 1, quoteCount: 1 }, seller))
    for (const status of RfqStatus.literals)
      if (status !== "open") assert.isUndefined(waits({ ...invited, status }, seller), status)
  })
})

describe("a quote", () => {
  it("waits for its buyer until it ends or its RFQ does, whichever is sooner", () => {
    const item = quoteItem(sampleQuote({ validUntil: inAnHour }), sampleRfq(), buyer, now)
    assert.deepStrictEqual(item, {
      subject: {
        kind: "quote",
        id: sampleQuote().id,
        rfqId: sampleRfq().id,
        title: sampleRfq().title,
        status: "active"
      },
      actions: [
        { action: "decline", by: "buyer", deadline: inAnHour },
        { action: "award", by: "buyer", deadline: inAnHour }
      ],
      deadline: inAnHour
    })
    const longer = quoteItem(sampleQuote({ validUntil: after(now, 9999) }), sampleRfq(), buyer, now)
    assert.deepStrictEqual(longer?.deadline, after(now, 7200))
  })

  it("waits for nobody under seal, when it is no longer active, or when its RFQ is decided", () => {
    const sealed = sampleRfq({ quoteMode: "sealed" })
    const quote = sampleQuote()
    assert.isUndefined(quoteItem(quote, sealed, buyer, now))
    assert.isDefined(quoteItem(quote, { ...sealed, status: "evaluating" }, buyer, inAnHour))
    assert.isUndefined(quoteItem(sampleQuote({ status: "declined" }), sampleRfq(), buyer, now))
    assert.isUndefined(quoteItem(quote, sampleRfq({ status: "cancelled" }), buyer, now))
    assert.isUndefined(quoteItem(quote, sampleRfq(), seller, now))
  })
})

describe("the place of an item", () => {
  it("sorts by the deadline, then by the id, and what has no deadline comes last", () => {
    const instant = fc.option(
      fc.integer({ min: 0, max: 5 }).map((n) => after(now, n)),
      { nil: null }
    )
    const item = fc
      .record({ deadline: instant, n: fc.nat({ max: 20 }) })
      .map(({ deadline, n }): InboxItem => ({
        subject: { kind: "rfq", id: idOf("rfq", n), title: "RFQ", status: "open" },
        actions: [],
        deadline
      }))
    const order = ({ deadline, subject }: InboxItem) =>
      [deadline === null ? Number.MAX_SAFE_INTEGER : deadline.epochMilliseconds, subject.id] as const
    fc.assert(
      fc.property(item, item, (a, b) => {
        assert.match(placeOf(a), placeForm)
        const [[at, id], [otherAt, otherId]] = [order(a), order(b)]
        const isBefore = at < otherAt || (at === otherAt && id < otherId)
        assert.strictEqual(placeOf(a) < placeOf(b), isBefore)
      })
    )
  })
})
