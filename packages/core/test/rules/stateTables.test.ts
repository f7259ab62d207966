import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import {
  after,
  agentTable,
  dealRoomTable,
  listingTable,
  matchTable,
  quoteTable,
  requestTable,
  rfqTable,
  webhookTable
} from "../../src/index.ts"
import type { DealRoom, Instant, StateTable } from "../../src/index.ts"
import { permit } from "../../src/rules/StateTable.ts"
import { nextLapse, permitRoom, roomActions } from "../../src/rules/DealRooms.ts"
import { roomAsOf } from "../../src/rules/DealRoomProgress.ts"
import { requestAsOf } from "../../src/rules/Requests.ts"
import { rfqAsOf } from "../../src/rules/Rfqs.ts"
import { quoteAsOf } from "../../src/rules/Quotes.ts"
import {
  buyer,
  idOf,
  now,
  sampleAgent,
  sampleListing,
  sampleMatch,
  sampleOffer,
  sampleQuestion,
  sampleQuote,
  sampleRequest,
  sampleRfq,
  sampleRoom,
  sampleTerms,
  sampleWebhook,
  seller
} from "./samples.ts"

const roles = ["buyer", "seller", "agent", "operator", "time"] as const
type Role = (typeof roles)[number]

interface Contract<Entity> {
  readonly table: StateTable<Entity, string, string>
  /** Contract §4, one move a line: from, the move, by whom, to where. */
  readonly moves: ReadonlyArray<string>
  /** What the contract leaves open and `docs/` decides, in the same form. */
  readonly beside: ReadonlyArray<string>
  readonly terminal: ReadonlyArray<string>
  readonly statuses: ReadonlyArray<string>
  /** States that wait for the operator, by what they mean. */
  readonly waitsForOperator?: ReadonlyArray<string>
  /** An entity in a status that meets every condition of a move by a role. */
  readonly ready: (status: string, move: string, by: Role) => Entity
}

const statusOf = <S extends string>(statuses: ReadonlyArray<S>, status: string): S => {
  const found = statuses.find((known) => known === status)
  assert(found !== undefined, `${status} is a status`)
  return found
}

const agentStatuses = ["active", "suspended", "closed"] as const
const listingStatuses = ["draft", "active", "paused", "archived"] as const
const requestStatuses = ["open", "fulfilled", "cancelled", "expired"] as const
const rfqStatuses = ["draft", "open", "evaluating", "awarded", "unsuccessful", "cancelled"] as const
const webhookStatuses = ["active", "disabled", "deleted"] as const
const quoteStatuses = ["active", "withdrawn", "declined", "expired", "awarded", "not_selected"] as const
const matchStatuses = ["suggested", "dismissed", "engaged"] as const
const roomStatuses = [
  "negotiating",
  "agreed",
  "in_progress",
  "delivered",
  "changes_requested",
  "disputed",
  "completed",
  "declined",
  "expired",
  "cancelled",
  "refunded",
  "split"
] as const

const readyRoom = (status: string, move: string, by: Role): DealRoom => {
  const own = move === "withdraw"
  const side = by === "seller" ? seller : buyer
  const other = by === "seller" ? buyer : seller
  return sampleRoom({
    status: statusOf(roomStatuses, status),
    currentOffer: sampleOffer(own ? side : other),
    agreement: {
      offerId: sampleOffer(buyer).id,
      terms: sampleTerms,
      termsDigest: sampleOffer(buyer).termsDigest,
      agreedAt: now
    }
  })
}

const held = { holdId: idOf("hold", 1), reason: "Somebody looks at it." }

const suite = <Entity extends { readonly status: string }>(
  name: string,
  contract: Contract<Entity>
): void => {
  const { table, moves, beside, terminal, statuses, ready } = contract
  const line = (from: string, move: string, by: string, to: string) => `${from} ${move} ${by} ${to}`
  const rows = table.flatMap((row) =>
    row.from.flatMap((from) =>
      row.by.map((by) => ({ from, move: row.move, by, to: row.to === "same" ? from : row.to }))
    )
  )
  const names = [...new Set(table.map((row) => row.move))]
  describe(name, () => {
    it("has the moves of the contract and no others", () => {
      assert.deepStrictEqual(
        rows.map((row) => line(row.from, row.move, row.by, row.to)).toSorted(),
        [...moves, ...beside].toSorted()
      )
    })

    it("refuses every other move with the code that says why", () => {
      for (const status of statuses)
        for (const move of names)
          for (const by of roles) {
            const here = rows.filter((row) => row.from === status && row.move === move)
            const mayEver = rows.some((row) => row.move === move && row.by === by)
            const expected = here.some((row) => row.by === by)
              ? "permitted"
              : !mayEver
                ? "forbidden"
                : here.length === 0
                  ? "invalid_state"
                  : "not_your_turn"
            const result = permit(table, ready(status, move, by), move, by)
            const found = Result.isSuccess(result) ? "permitted" : result.failure.code
            assert.strictEqual(found, expected, line(status, move, by, "?"))
            if (Result.isFailure(result) && result.failure.code === "invalid_state")
              assert.strictEqual(result.failure.status, status)
          }
    })

    it("lets nothing leave a terminal state", () => {
      for (const row of rows) if (terminal.includes(row.from)) assert.strictEqual(row.to, row.from)
    })

    it("leads out of every other state by time alone or by one side alone", () => {
      const reaches = (from: string, by: Role, seen: ReadonlySet<string>): boolean =>
        terminal.includes(from) ||
        rows.some(
          (row) =>
            row.from === from &&
            row.by === by &&
            !seen.has(row.to) &&
            reaches(row.to, by, new Set([...seen, row.to]))
        )
      for (const status of statuses) {
        if (contract.waitsForOperator?.includes(status) === true) continue
        const actors = roles.filter((by) => by !== "operator")
        assert.isTrue(
          actors.some((by) => reaches(status, by, new Set([status]))),
          status
        )
      }
    })
  })
}

suite("the listing table", {
  table: listingTable,
  statuses: listingStatuses,
  terminal: ["archived"],
  moves: [
    "draft activate seller active",
    "active pause seller paused",
    "paused activate seller active",
    "draft archive seller archived",
    "draft archive operator archived",
    "active archive seller archived",
    "active archive operator archived",
    "paused archive seller archived",
    "paused archive operator archived"
  ],
  beside: [
    "draft update seller draft",
    "active update seller active",
    "paused update seller paused",
    // What the moderation holds has no state of its own.
    "draft hold operator draft",
    "active hold operator paused",
    "paused hold operator paused",
    "draft release operator active",
    "paused release operator active"
  ],
  ready: (status, move) =>
    sampleListing({ status: statusOf(listingStatuses, status), ...(move === "release" ? { held } : {}) })
})

suite("the agent table", {
  table: agentTable,
  statuses: agentStatuses,
  terminal: ["closed"],
  waitsForOperator: ["suspended"],
  moves: [
    "active suspend operator suspended",
    "suspended reinstate operator active",
    "active close agent closed"
  ],
  beside: [],
  ready: (status) => sampleAgent({ status: statusOf(agentStatuses, status) })
})

suite("the request table", {
  table: requestTable,
  statuses: requestStatuses,
  terminal: ["fulfilled", "cancelled", "expired"],
  moves: ["open fulfil buyer fulfilled", "open cancel buyer cancelled", "open expire time expired"],
  beside: ["open update buyer open"],
  ready: (status) => sampleRequest({ status: statusOf(requestStatuses, status) })
})

suite("the RFQ table", {
  table: rfqTable,
  statuses: rfqStatuses,
  terminal: ["awarded", "unsuccessful", "cancelled"],
  moves: [
    "draft open buyer open",
    "open close time evaluating",
    "open close buyer evaluating",
    "open award buyer awarded",
    "evaluating award buyer awarded",
    "open cancel buyer cancelled",
    "open cancel operator cancelled",
    "evaluating cancel buyer cancelled",
    "evaluating cancel operator cancelled",
    "evaluating unsuccessful buyer unsuccessful",
    "evaluating unsuccessful time unsuccessful"
  ],
  beside: [
    "draft update buyer draft",
    "open update buyer open",
    "open quote seller open",
    "open ask seller open",
    "open answer buyer open",
    "evaluating answer buyer evaluating",
    "draft cancel buyer cancelled",
    "draft hold operator draft",
    "draft release operator open",
    "draft give_back operator draft",
    "draft give_back time draft"
  ],
  ready: (status, move) =>
    sampleRfq({
      status: statusOf(rfqStatuses, status),
      questions: [sampleQuestion()],
      ...(["release", "give_back"].includes(move) ? { held } : {})
    })
})

suite("the quote table", {
  table: quoteTable,
  statuses: quoteStatuses,
  terminal: ["withdrawn", "declined", "expired", "awarded", "not_selected"],
  moves: [
    "active revise seller active",
    "active withdraw seller withdrawn",
    "active decline buyer declined",
    "active expire time expired",
    "active award buyer awarded",
    "active pass_over buyer not_selected"
  ],
  beside: [],
  ready: (status) => sampleQuote({ status: statusOf(quoteStatuses, status) })
})

suite("the webhook table", {
  table: webhookTable,
  statuses: webhookStatuses,
  terminal: ["deleted"],
  // Contract §6 disables, §5 deletes and replays.
  moves: [
    "active disable time disabled",
    "active replay agent active",
    "active delete agent deleted",
    "disabled delete agent deleted"
  ],
  beside: ["disabled enable agent active", "active rotate agent active", "disabled rotate agent disabled"],
  ready: (status) => sampleWebhook({ status: statusOf(webhookStatuses, status) })
})

const sides = ["buyer", "seller"] as const
const underWay = ["in_progress", "delivered", "changes_requested"]

suite("the match table", {
  table: matchTable,
  statuses: matchStatuses,
  terminal: ["dismissed", "engaged"],
  moves: [],
  // Contract §3 names the states; how they are reached follows from §5.
  beside: sides.flatMap((side) => [
    `suggested dismiss ${side} dismissed`,
    `suggested engage ${side} engaged`
  ]),
  ready: (status) => sampleMatch({ status: statusOf(matchStatuses, status) })
})

suite("the deal room table", {
  table: dealRoomTable,
  statuses: roomStatuses,
  terminal: ["completed", "declined", "expired", "cancelled", "refunded", "split"],
  moves: [
    ...sides.flatMap((side) => [
      `negotiating offer ${side} negotiating`,
      `negotiating accept ${side} agreed`,
      `negotiating reject ${side} negotiating`,
      `negotiating withdraw ${side} negotiating`,
      `negotiating decline ${side} declined`,
      `in_progress cancel ${side} cancelled`,
      `changes_requested cancel ${side} cancelled`,
      ...underWay.map((status) => `${status} dispute ${side} disputed`)
    ]),
    "negotiating expire time expired",
    "agreed start operator in_progress",
    "agreed cancel time cancelled",
    "in_progress deliver seller delivered",
    "in_progress expire time expired",
    "delivered complete buyer completed",
    "delivered complete time completed",
    "delivered request_changes buyer changes_requested",
    "changes_requested deliver seller delivered",
    "disputed complete operator completed",
    "disputed refund operator refunded",
    "disputed split operator split"
  ],
  beside: [
    ...sides.flatMap((side) => [
      `completed review ${side} completed`,
      ...["negotiating", "agreed", ...underWay, "disputed"].map(
        (status) => `${status} message ${side} ${status}`
      )
    ]),
    // Nothing waits for ever: neither a seller who never delivers again, nor an operator who never decides.
    "changes_requested expire time expired",
    "disputed refund time refunded"
  ],
  ready: readyRoom
})

describe("conditions", () => {
  const room = sampleRoom()
  const refused = (result: ReturnType<typeof permitRoom>) =>
    Result.isSuccess(result) ? "permitted" : result.failure.code

  it("let only the other side answer an offer, and only its author take it back", () => {
    const offered = sampleRoom({ currentOffer: sampleOffer(buyer) })
    for (const move of ["accept", "reject"] as const) {
      assert.strictEqual(refused(permitRoom(offered, move, "seller")), "permitted")
      assert.strictEqual(refused(permitRoom(offered, move, "buyer")), "not_your_turn")
      assert.strictEqual(refused(permitRoom(room, move, "seller")), "not_your_turn")
    }
    assert.strictEqual(refused(permitRoom(offered, "withdraw", "buyer")), "permitted")
    assert.strictEqual(refused(permitRoom(offered, "withdraw", "seller")), "not_your_turn")
    assert.strictEqual(refused(permitRoom(offered, "offer", "seller")), "permitted")
    assert.strictEqual(refused(permitRoom(offered, "offer", "buyer")), "not_your_turn")
  })

  it("count the changes that the terms grant", () => {
    const delivered = readyRoom("delivered", "request_changes", "buyer")
    assert.strictEqual(refused(permitRoom(delivered, "request_changes", "buyer")), "permitted")
    const spent = { ...delivered, changesRequested: 1 }
    assert.strictEqual(refused(permitRoom(spent, "request_changes", "buyer")), "limit_reached")
  })

  it("keep a sealed RFQ closed to its buyer until the deadline", () => {
    for (const move of ["close", "award"] as const) {
      const sealed = permit(rfqTable, sampleRfq({ quoteMode: "sealed" }), move, "buyer")
      assert(Result.isFailure(sealed))
      assert.strictEqual(sealed.failure.code, "invalid_state")
    }
    assert.isTrue(Result.isSuccess(permit(rfqTable, sampleRfq({ quoteMode: "sealed" }), "close", "time")))
    const evaluating = sampleRfq({ quoteMode: "sealed", status: "evaluating" })
    assert.isTrue(Result.isSuccess(permit(rfqTable, evaluating, "award", "buyer")))
  })

  it("offer as next actions what is permitted and nothing else", () => {
    const moves = dealRoomTable.map((row) => row.move)
    for (const status of roomStatuses)
      for (const by of sides)
        for (const [offerBy, round] of [
          [buyer, 1],
          [seller, 1],
          [buyer, 10]
        ] as const) {
          const room = { ...readyRoom(status, "accept", by), currentOffer: sampleOffer(offerBy), round }
          const offered = roomActions(room, now).filter((action) => action.by === by)
          assert.deepStrictEqual(
            new Set(offered.map(({ action }) => action)),
            new Set<string>(moves.filter((move) => Result.isSuccess(permitRoom(room, move, by)))),
            `${status} ${by}`
          )
        }
  })
})

describe("time", () => {
  const late: Instant = after(now, 400 * 86_400)

  it("ends whatever waits for somebody", () => {
    assert.strictEqual(requestAsOf(sampleRequest(), late).request.status, "expired")
    assert.strictEqual(rfqAsOf(sampleRfq(), late).rfq.status, "unsuccessful")
    assert.isUndefined(rfqAsOf(sampleRfq({ status: "draft", held }), late).rfq.held)
    assert.strictEqual(quoteAsOf(sampleQuote(), late).quote.status, "expired")
    const waiting = [
      sampleRoom(),
      sampleRoom({ currentOffer: sampleOffer(buyer), deadlines: { offerExpiresAt: after(now, 60) } }),
      sampleRoom({ status: "agreed", deadlines: { fundBy: after(now, 60) } }),
      sampleRoom({ status: "in_progress", deadlines: { deliverBy: after(now, 60) } }),
      sampleRoom({ status: "delivered", deadlines: { reviewUntil: after(now, 60) } }),
      sampleRoom({ status: "changes_requested", deadlines: { deliverBy: after(now, 60) } }),
      sampleRoom({ status: "disputed", deadlines: { resolveBy: after(now, 60) } })
    ]
    assert.deepStrictEqual(
      waiting.map((room) => roomAsOf(room, late).room.status),
      ["expired", "expired", "cancelled", "expired", "completed", "expired", "refunded"]
    )
  })

  it("moves a room only as its table lets time move it", () => {
    for (const status of roomStatuses) {
      const at = after(now, 60)
      const room = sampleRoom({
        status,
        deadlines: { offerDueBy: at, fundBy: at, deliverBy: at, reviewUntil: at, resolveBy: at }
      })
      const lapse = nextLapse(room)
      if (lapse === undefined) continue
      assert.isTrue(Result.isSuccess(permitRoom(room, lapse.move, "time")), status)
    }
  })

  it("has come at the deadline's own millisecond, and not one before", () => {
    const rfq = sampleRfq()
    const before = after(rfq.quoteDeadline, -0.001)
    assert.strictEqual(rfqAsOf(rfq, before).rfq.status, "open")
    assert.strictEqual(rfqAsOf(rfq, rfq.quoteDeadline).rfq.status, "evaluating")
    const quote = sampleQuote()
    assert.strictEqual(quoteAsOf(quote, after(quote.validUntil, -0.001)).quote.status, "active")
    assert.strictEqual(quoteAsOf(quote, quote.validUntil).quote.status, "expired")
  })

  it("tells the same story whenever it is asked", () => {
    const room = sampleRoom({
      currentOffer: sampleOffer(buyer),
      deadlines: { offerExpiresAt: after(now, 60) }
    })
    assert.deepStrictEqual(roomAsOf(room, after(now, 60)), roomAsOf(room, late))
    assert.deepStrictEqual(rfqAsOf(sampleRfq(), after(now, 7200)), rfqAsOf(sampleRfq(), late))
    const once = roomAsOf(room, late).room
    assert.deepStrictEqual(roomAsOf(once, late).room, once)
  })
})
