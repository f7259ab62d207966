/** The market of a history: every service, no worker, and a host whose parts do what the history's mood says. */
import { Effect, Layer } from "effect"
import {
  Agents,
  Commands,
  DealRooms,
  EventFeed,
  Events,
  Ids,
  Inbox,
  Keys,
  Listings,
  Matches,
  Matching,
  MiniSearchIndex,
  Moderation,
  Operators,
  Quotes,
  Requests,
  Rfqs,
  Search,
  SendFailed,
  Settlement,
  SettlementOrders,
  Settling,
  Store,
  WebhookSender,
  Webhooks
} from "../../src/index.ts"
import type {
  Authorisation,
  ModeratedContent,
  ModerationPort,
  ModerationVerdict,
  Sender,
  SettlementCall,
  SettlementPort,
  SplitCall
} from "../../src/index.ts"
import { Alarm } from "../../src/services/Alarm.ts"
import { Deliveries } from "../../src/services/Deliveries.ts"
import { Indexing } from "../../src/services/Indexing.ts"
import { SealedReply } from "../../src/services/SealedReply.ts"
import { seededRandom } from "../fixtures.ts"
import { mark, owns, record, Visit } from "./world.ts"
import type { Ordered, World } from "./world.ts"

/** A store that tells the history of each commit. */
const recorded = (world: World, store: Layer.Layer<Store, unknown>) =>
  Layer.effect(
    Store,
    Effect.map(Store, (store) => ({
      ...store,
      commit: (commit: Parameters<typeof store.commit>[0]) =>
        Effect.flatMap(Visit, ({ step }) =>
          Effect.tap(store.commit(commit), ({ position }) =>
            Effect.sync(() => record(world, step, commit, position))
          )
        )
    }))
  ).pipe(Layer.provide(store))

/** What tells one content from another, as others would see it. */
export const contentKey = (kind: "listing" | "rfq", id: string, description: string): string =>
  `${kind} ${id} ${description}`

const moderation = (world: World): ModerationPort => ({
  review: (content) =>
    Effect.suspend((): Effect.Effect<ModerationVerdict, string> => {
      switch (world.mood.moderation) {
        case "allows":
          allow(world, content)
          return Effect.succeed({ outcome: "allowed" })
        case "fails":
          return Effect.fail("nobody is there")
        case "holds":
        case "refuses": {
          const reason = mark(world)
          owns(world, reason, content.agentId)
          return Effect.succeed({
            outcome: world.mood.moderation === "holds" ? "held" : "refused",
            reason
          })
        }
      }
    })
})

const allow = (world: World, content: ModeratedContent): void => {
  if (content.kind === "listing")
    world.allowed.add(contentKey("listing", content.listing.id, content.listing.description))
  if (content.kind === "rfq") world.allowed.add(contentKey("rfq", content.rfq.id, content.rfq.description))
}

const settlement = (world: World): SettlementPort => {
  const note = (action: Ordered["action"], call: SettlementCall | SplitCall, isEffective: boolean) =>
    void world.orders.push({
      ...call,
      action,
      isEffective,
      status: world.ledger.rooms.get(call.roomId)?.status
    })
  const move = (action: Ordered["action"]) => (call: SettlementCall | SplitCall) =>
    Effect.suspend(() => {
      const { settlement } = world.mood
      const isEffective = settlement === "agrees" || settlement === "declines"
      note(action, call, isEffective)
      if (isEffective) return Effect.void
      return settlement === "dies" ? Effect.die("the bank burns") : Effect.fail("the bank is shut")
    })
  return {
    authorise: (call) =>
      Effect.suspend((): Effect.Effect<Authorisation, string> => {
        const { settlement } = world.mood
        note("authorise", call, settlement === "agrees")
        switch (settlement) {
          case "agrees":
            return Effect.succeed({ outcome: "authorised" })
          case "waits":
            return Effect.succeed({ outcome: "pending" })
          case "declines": {
            const reason = mark(world)
            owns(world, reason, call.roomId)
            return Effect.succeed({ outcome: "declined", reason })
          }
          case "fails":
            return Effect.fail("the bank is shut")
          case "dies":
            return Effect.die("the bank burns")
        }
      }),
    capture: move("capture"),
    refund: move("refund"),
    split: move("split")
  }
}

const receivers = (world: World): Sender => ({
  objection: (url) => (url.startsWith("https:") ? undefined : "must begin with https:"),
  send: (request) =>
    Effect.suspend(() => {
      world.sent.push(request)
      const { receiver } = world.mood
      return receiver === "refused"
        ? Effect.fail(new SendFailed({ reason: "The connection was refused." }))
        : Effect.succeed({ status: receiver })
    })
})

/**
 * A node of the market, on a store of its own or of several nodes. The services are put together here, since a whole
 * market would deliver webhooks by itself, minute by minute.
 */
export const marketOf = (world: World, store: Layer.Layer<Store, unknown>, node: number) =>
  Layer.mergeAll(
    Agents.layer,
    DealRooms.layer,
    Events.layer,
    Inbox.layer,
    Keys.layer,
    Listings.layer,
    Matches.layer,
    Matching.layer,
    Operators.layer,
    Quotes.layer,
    Requests.layer,
    Rfqs.layer,
    Search.layer,
    SettlementOrders.layer,
    Settling.layer,
    Layer.provideMerge(Webhooks.layer, Deliveries.layer())
  ).pipe(
    Layer.provide(Commands.layer),
    Layer.provide([Alarm.layer, Ids.layer, SealedReply.layer, EventFeed.layer(), Indexing.layer]),
    Layer.provideMerge(Layer.mergeAll(recorded(world, store), MiniSearchIndex.layer, seededRandom(7 + node))),
    Layer.provide([
      Layer.succeed(Moderation, moderation(world)),
      Layer.succeed(Settlement, world.settles ? settlement(world) : undefined),
      Layer.succeed(WebhookSender, receivers(world))
    ])
  )
