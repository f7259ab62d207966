/** What the lists of rooms and matches must keep, which are read by their two sides; webhooks, holds and bookmarks. */
import { assert } from "@effect/vitest"
import { revised, Store, type DealRoom, type DealRoomFilter, type Match, type MatchFilter } from "@souk/core"
import {
  moment,
  sampleBookmark,
  sampleHold,
  sampleId,
  sampleMatch,
  sampleRoom,
  sampleWebhook,
  write
} from "../fixtures.ts"
import { expectSame, idsOf, obligation, put, putEach, walk, type Obligation } from "./Obligation.ts"

const page = { limit: 100 }
const [a, b, c] = [sampleId("agent", 1), sampleId("agent", 2), sampleId("agent", 3)]

/** Expects a filter to keep some of the rooms or matches, by their numbers, newest first. */
type Expectation<F> = readonly [filter: F, kept: ReadonlyArray<number>]

const rooms = (
  name: string,
  sentence: string,
  items: ReadonlyArray<Partial<DealRoom>>,
  expectations: ReadonlyArray<Expectation<DealRoomFilter>>
): Obligation =>
  obligation(`rooms.${name}`, sentence, function* () {
    const store = yield* Store
    yield* putEach(items.map((item, i) => write.room(sampleRoom(i + 1, item))))
    for (const [filter, kept] of expectations) {
      const ids = kept.map((n) => sampleId("deal_room", n))
      expectSame(idsOf(yield* store.rooms.list(filter, page)), ids)
      expectSame(yield* walk((page) => store.rooms.list(filter, page), 1), ids)
    }
  })

const matches = (
  name: string,
  sentence: string,
  items: ReadonlyArray<Partial<Match>>,
  expectations: ReadonlyArray<Expectation<MatchFilter>>
): Obligation =>
  obligation(`matches.${name}`, sentence, function* () {
    const store = yield* Store
    yield* putEach(items.map((item, i) => write.match(sampleMatch(i + 1, item))))
    for (const [filter, kept] of expectations) {
      const ids = kept.map((n) => sampleId("match", n))
      expectSame(idsOf(yield* store.matches.list(filter, page)), ids)
      expectSame(yield* walk((page) => store.matches.list(filter, page), 1), ids)
    }
  })

const [rfq, request] = [sampleId("rfq", 1), sampleId("request", 1)]
const [listing, other] = [sampleId("listing", 1), sampleId("listing", 2)]

export const partyObligations: ReadonlyArray<Obligation> = [
  rooms(
    "by-status",
    "an agent's rooms are kept by their stored statuses, on both of its sides",
    [
      { buyerId: a, sellerId: b },
      { buyerId: b, sellerId: a, status: "agreed" },
      { buyerId: c, sellerId: a },
      { buyerId: a, sellerId: c, status: "completed" },
      { buyerId: b, sellerId: c, status: "agreed" },
      { buyerId: c, sellerId: a, status: "agreed" }
    ],
    [
      [{ participant: a }, [6, 4, 3, 2, 1]],
      [{ participant: a, statuses: ["negotiating"] }, [3, 1]],
      [{ participant: a, statuses: ["agreed"] }, [6, 2]],
      [{ participant: a, statuses: ["agreed", "negotiating"] }, [6, 3, 2, 1]],
      [{ participant: a, statuses: ["completed", "agreed", "completed"] }, [6, 4, 2]],
      [{ participant: a, statuses: ["disputed"] }, []],
      [{ participant: a, statuses: [] }, []],
      [{ participant: c, statuses: ["agreed"] }, [6, 5]]
    ]
  ),
  rooms(
    "updated-since",
    "an agent's rooms are kept that changed at that moment or later",
    [
      { updatedAt: moment(1) },
      { updatedAt: moment(2.001), buyerId: b, sellerId: a },
      { updatedAt: moment(2), status: "agreed" },
      { updatedAt: moment(9), buyerId: b, sellerId: c }
    ],
    [
      [{ participant: a, updatedSince: moment(0) }, [3, 2, 1]],
      [{ participant: a, updatedSince: moment(2) }, [3, 2]],
      [{ participant: a, updatedSince: moment(2.001) }, [2]],
      [{ participant: a, updatedSince: moment(2.002) }, []],
      [{ participant: a, updatedSince: moment(2), statuses: ["agreed", "declined"] }, [3]]
    ]
  ),
  obligation("rooms.follow-changes", "a changed room is found under what it is now", function* () {
    const store = yield* Store
    const room = sampleRoom(1)
    const agreed = revised(room, { status: "agreed", turn: null }, moment(5))
    yield* putEach([write.room(room), write.room(agreed, 1)])
    const list = (filter: Partial<DealRoomFilter>) => store.rooms.list({ participant: a, ...filter }, page)
    expectSame(idsOf(yield* list({ statuses: ["negotiating"] })), [])
    expectSame(idsOf(yield* list({ updatedSince: moment(5.001) })), [])
    expectSame(yield* list({ statuses: ["agreed"], updatedSince: moment(5) }), {
      items: [agreed],
      hasMore: false
    })
  }),

  matches(
    "by-party",
    "matches are kept by whose demand or supply they are of, and by status",
    [
      { buyerId: a, sellerId: b },
      { buyerId: b, sellerId: a, status: "dismissed" },
      { buyerId: c, sellerId: a },
      { buyerId: a, sellerId: c, status: "engaged" },
      { buyerId: b, sellerId: c },
      { buyerId: c, sellerId: a }
    ],
    [
      [{}, [6, 5, 4, 3, 2, 1]],
      [{ statuses: ["suggested"] }, [6, 5, 3, 1]],
      [{ statuses: ["dismissed", "engaged"] }, [4, 2]],
      [{ statuses: [] }, []],
      [{ party: a }, [6, 4, 3, 2, 1]],
      [{ party: a, statuses: ["suggested"] }, [6, 3, 1]],
      [{ party: a, statuses: ["engaged", "suggested", "engaged"] }, [6, 4, 3, 1]],
      [{ party: a, statuses: [] }, []],
      [{ party: c, statuses: ["dismissed"] }, []],
      [{ party: sampleId("agent", 4) }, []]
    ]
  ),
  matches(
    "by-demand-and-supply",
    "matches are kept by their demand and by their supply",
    [
      { demand: { kind: "rfq", id: rfq }, supply: { kind: "listing", id: listing } },
      { demand: { kind: "rfq", id: rfq }, supply: { kind: "listing", id: other }, sellerId: c },
      { demand: { kind: "request", id: request }, supply: { kind: "listing", id: listing }, buyerId: c },
      {
        demand: { kind: "request", id: request },
        supply: { kind: "listing", id: other },
        status: "dismissed"
      }
    ],
    [
      [{ demandId: rfq }, [2, 1]],
      [{ demandId: request }, [4, 3]],
      [{ demandId: sampleId("rfq", 9) }, []],
      [{ supplyId: listing }, [3, 1]],
      [{ demandId: rfq, supplyId: other }, [2]],
      [{ demandId: request, statuses: ["suggested", "engaged"] }, [3]],
      [{ supplyId: other, party: c }, [2]],
      [{ supplyId: other, party: a }, [4, 2]],
      [{ demandId: request, party: c, statuses: ["suggested"] }, [3]],
      [{ demandId: request, party: c, statuses: ["dismissed"] }, []]
    ]
  ),
  obligation("matches.follow-changes", "a changed match is found under what it is now", function* () {
    const store = yield* Store
    const match = sampleMatch(1)
    const engaged = revised(match, { status: "engaged", score: 0.5 }, moment(1))
    yield* putEach([write.match(match), write.match(engaged, 1)])
    expectSame(idsOf(yield* store.matches.list({ party: a, statuses: ["suggested"] }, page)), [])
    expectSame((yield* store.matches.list({ party: b, statuses: ["engaged"] }, page)).items, [engaged])
  }),

  obligation(
    "webhooks.of-agent",
    "the webhooks of an agent are all but the deleted ones, newest first",
    function* () {
      const store = yield* Store
      const webhooks = [
        sampleWebhook(2, { status: "disabled", disabledReason: "It did not answer" }),
        sampleWebhook(1),
        sampleWebhook(3, { agentId: b }),
        sampleWebhook(4)
      ]
      yield* putEach(webhooks.map((webhook) => write.webhook(webhook)))
      const ids = (...numbers: ReadonlyArray<number>) => numbers.map((n) => sampleId("webhook", n))
      const of = function* (agentId: typeof a) {
        return (yield* store.webhooks.ofAgent(agentId)).map(({ id }) => id)
      }
      expectSame(yield* of(a), ids(4, 2, 1))
      expectSame(yield* of(b), ids(3))
      expectSame(yield* of(c), [])
      const deleted = revised(sampleWebhook(4), { status: "deleted" }, moment(1))
      yield* put(write.webhook(deleted, 1))
      expectSame(yield* of(a), ids(2, 1))
      expectSame(yield* store.webhooks.byId(deleted.id), deleted)
    }
  ),
  obligation(
    "webhooks.active",
    "the active webhooks are those of all agents, and follow their status",
    function* () {
      const store = yield* Store
      const webhook = sampleWebhook(1)
      yield* put(
        write.webhook(webhook),
        write.webhook(sampleWebhook(2, { status: "disabled" })),
        write.webhook(sampleWebhook(3, { agentId: b })),
        write.webhook(sampleWebhook(4, { status: "deleted" }))
      )
      const ids = (...numbers: ReadonlyArray<number>) => numbers.map((n) => sampleId("webhook", n))
      expectSame(idsOf(yield* store.webhooks.active(page)), ids(3, 1))
      const disabled = revised(webhook, { status: "disabled" }, moment(1))
      yield* put(write.webhook(disabled, 1))
      expectSame(idsOf(yield* store.webhooks.active(page)), ids(3))
      yield* put(write.webhook(revised(disabled, { status: "active" }, moment(2)), 2))
      expectSame(idsOf(yield* store.webhooks.active(page)), ids(3, 1))
    }
  ),

  obligation("holds.list", "holds are listed by status, and follow it", function* () {
    const store = yield* Store
    const hold = sampleHold(1)
    yield* put(
      write.hold(hold),
      write.hold(sampleHold(2, { status: "refused" })),
      write.hold(sampleHold(3, { agentId: b }))
    )
    const ids = (...numbers: ReadonlyArray<number>) => numbers.map((n) => sampleId("hold", n))
    expectSame(idsOf(yield* store.holds.list("held", page)), ids(3, 1))
    expectSame(idsOf(yield* store.holds.list("refused", page)), ids(2))
    yield* put(write.hold(revised(hold, { status: "released" }, moment(1)), 1))
    expectSame(idsOf(yield* store.holds.list("held", page)), ids(3))
    expectSame(idsOf(yield* store.holds.list("released", page)), ids(1))
  }),

  obligation("bookmarks.by-id", "a bookmark is kept under any plain word, each for itself", function* () {
    const store = yield* Store
    const words = ["matcher", "Matcher", "matcher ", "match%", "1"]
    yield* putEach(words.map((id, i) => write.bookmark(sampleBookmark(i, { id }))))
    for (const [i, id] of words.entries()) {
      assert.strictEqual((yield* store.bookmarks.byId(id))?.position, i)
    }
    const moved = revised(sampleBookmark(0, { id: "matcher" }), { position: 70_000 }, moment(1))
    yield* put(write.bookmark(moved, 1))
    expectSame(yield* store.bookmarks.byId("matcher"), moved)
    assert.isUndefined(yield* store.bookmarks.byId("matche"))
  })
]
