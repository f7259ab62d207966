/** What every list must do: newest first, by keyset, so that inserts never repeat or skip an item. */
import { assert } from "@effect/vitest"
import { Store, type Page, type PageRequest, type Unavailable, type Write } from "@souk/core"
import type { Effect } from "effect"
import {
  moment,
  sampleAgent,
  sampleHold,
  sampleId,
  sampleListing,
  sampleMatch,
  sampleQuote,
  sampleRequest,
  sampleReview,
  sampleRfq,
  sampleRoom,
  sampleTask,
  sampleWebhook,
  write
} from "../fixtures.ts"
import { expectSame, idsOf, obligation, put, putEach, walk, type Obligation } from "./Obligation.ts"

interface Listed {
  readonly name: string
  /** Writes the `n`th entity, which belongs into the list. */
  readonly write: (n: number) => Write
  readonly id: (n: number) => string
  readonly list: (page: PageRequest) => Effect.Effect<Page<{ readonly id: string }>, Unavailable, Store>
}

const lists: ReadonlyArray<Listed> = [
  {
    name: "agents",
    write: (n) => write.agent(sampleAgent(n)),
    id: (n) => sampleId("agent", n),
    list: (page) => Store.use((store) => store.agents.list(page))
  },
  {
    name: "listings",
    write: (n) => write.listing(sampleListing(n)),
    id: (n) => sampleId("listing", n),
    list: (page) => Store.use((store) => store.listings.list({ status: "active", tag: "translation" }, page))
  },
  {
    name: "requests",
    write: (n) => write.request(sampleRequest(n, n % 3 === 0 ? { status: "fulfilled" } : {})),
    id: (n) => sampleId("request", n),
    list: (page) =>
      Store.use((store) =>
        store.requests.list({ states: [{ status: "open" }, { status: "fulfilled" }] }, page)
      )
  },
  {
    name: "rfqs",
    write: (n) => write.rfq(sampleRfq(n, n % 3 === 0 ? { status: "evaluating" } : {})),
    id: (n) => sampleId("rfq", n),
    list: (page) =>
      Store.use((store) => store.rfqs.list({ states: [{ status: "open" }, { status: "evaluating" }] }, page))
  },
  {
    name: "quotes of an RFQ",
    write: (n) => write.quote(sampleQuote(n)),
    id: (n) => sampleId("quote", n),
    list: (page) => Store.use((store) => store.quotes.list({ rfqId: sampleId("rfq", 1) }, page))
  },
  {
    name: "rooms",
    write: (n) =>
      write.room(
        sampleRoom(n, n % 2 === 0 ? { buyerId: sampleId("agent", 2), sellerId: sampleId("agent", 1) } : {})
      ),
    id: (n) => sampleId("deal_room", n),
    list: (page) => Store.use((store) => store.rooms.list({ participant: sampleId("agent", 1) }, page))
  },
  {
    name: "reviews",
    write: (n) => write.review(sampleReview(n)),
    id: (n) => sampleId("review", n),
    list: (page) => Store.use((store) => store.reviews.publishedOf(sampleId("agent", 2), moment(1), page))
  },
  {
    name: "rooms of some statuses",
    write: (n) =>
      write.room(
        sampleRoom(n, {
          ...(n % 2 === 0 ? { buyerId: sampleId("agent", 2), sellerId: sampleId("agent", 1) } : {}),
          status: n % 3 === 0 ? "agreed" : "negotiating"
        })
      ),
    id: (n) => sampleId("deal_room", n),
    list: (page) =>
      Store.use((store) =>
        store.rooms.list({ participant: sampleId("agent", 1), statuses: ["negotiating", "agreed"] }, page)
      )
  },
  {
    name: "RFQs of an invitee",
    write: (n) =>
      write.rfq(
        sampleRfq(n, { invitees: [sampleId("agent", 5)], status: n % 3 === 0 ? "evaluating" : "open" })
      ),
    id: (n) => sampleId("rfq", n),
    list: (page) =>
      Store.use((store) =>
        store.rfqs.list(
          { states: [{ status: "open" }, { status: "evaluating" }], invitee: sampleId("agent", 5) },
          page
        )
      )
  },
  {
    name: "matches of a party",
    write: (n) =>
      write.match(
        sampleMatch(n, {
          ...(n % 2 === 0 ? { buyerId: sampleId("agent", 2), sellerId: sampleId("agent", 1) } : {}),
          status: n % 3 === 0 ? "dismissed" : "suggested"
        })
      ),
    id: (n) => sampleId("match", n),
    list: (page) => Store.use((store) => store.matches.list({ party: sampleId("agent", 1) }, page))
  },
  {
    name: "matches of some statuses",
    write: (n) =>
      write.match(
        sampleMatch(n, {
          ...(n % 2 === 0 ? { buyerId: sampleId("agent", 2), sellerId: sampleId("agent", 1) } : {}),
          status: n % 3 === 0 ? "dismissed" : "suggested"
        })
      ),
    id: (n) => sampleId("match", n),
    list: (page) =>
      Store.use((store) =>
        store.matches.list({ party: sampleId("agent", 1), statuses: ["suggested", "dismissed"] }, page)
      )
  },
  {
    name: "active webhooks",
    write: (n) => write.webhook(sampleWebhook(n)),
    id: (n) => sampleId("webhook", n),
    list: (page) => Store.use((store) => store.webhooks.active(page))
  },
  {
    name: "tasks of a queue",
    write: (n) => write.task(sampleTask(n, n % 3 === 0 ? { status: "done", dueAt: null } : {})),
    id: (n) => sampleId("task", n),
    list: (page) => Store.use((store) => store.tasks.list(sampleId("webhook", 1), page))
  },
  {
    name: "holds",
    write: (n) => write.hold(sampleHold(n)),
    id: (n) => sampleId("hold", n),
    list: (page) => Store.use((store) => store.holds.list("held", page))
  }
]

const ordered = ({ name, write, id, list }: Listed): Obligation =>
  obligation(
    `list.order.${name.replaceAll(" ", "-")}`,
    `pages of any size give all ${name}, newest first, in whatever order they were written`,
    function* () {
      const numbers = [4, 1, 7, 3, 6, 2, 5]
      yield* putEach(numbers.map(write))
      const newestFirst = numbers.toSorted((a, b) => b - a).map(id)
      for (const limit of [1, 2, 3, 6, 7, 8, 100])
        expectSame(yield* walk(list, limit), newestFirst, `limit ${limit}`)
      expectSame(idsOf(yield* list({ limit: 100, before: id(3) })), newestFirst.slice(5))
      expectSame(yield* list({ limit: 100, before: id(1) }), { items: [], hasMore: false })
      const foreign = yield* list({ limit: 2, before: id(1000) })
      expectSame(idsOf(foreign), newestFirst.slice(0, 2), "`before` need not exist")
      assert.isTrue(foreign.hasMore)
    }
  )

const stable = ({ name, write, id, list }: Listed): Obligation =>
  obligation(
    `list.stable.${name.replaceAll(" ", "-")}`,
    `${name} written while a reader pages neither repeat nor hide an item`,
    function* () {
      yield* putEach([10, 20, 30, 40].map(write))
      const first = yield* list({ limit: 2 })
      expectSame(idsOf(first), [40, 30].map(id))
      yield* put(write(50), write(25))
      yield* put(write(35))
      const second = yield* list({ limit: 2, before: id(30) })
      expectSame(idsOf(second), [25, 20].map(id))
      assert.isTrue(second.hasMore)
      expectSame(idsOf(yield* list({ limit: 2, before: id(20) })), [10].map(id))
    }
  )

export const listObligations: ReadonlyArray<Obligation> = [...lists.map(ordered), ...lists.map(stable)]
