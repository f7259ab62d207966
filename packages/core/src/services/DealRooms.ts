/** Deal rooms: from the first offer to the reviews. Contract §3 Deal room, §4, §5. */
import { Context, DateTime, Effect, Layer, Result } from "effect"
import { SecureRandom } from "effect/crypto"
import { DealRoomView, Entry } from "../model/DealRoom.ts"
import type { Acceptance, DealRoomInput, Delivery, Message, OfferInput } from "../model/DealRoom.ts"
import type {
  InvalidCursor,
  InvalidRequest,
  NotFound,
  OfferExpired,
  RequirementUnmet,
  SelfDeal,
  TermsMismatch,
  Unavailable,
  VersionConflict
} from "../model/Errors.ts"
import type { AgentId, DealRoomId, OfferId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import type { CursorPage, PageQuery } from "../model/Page.ts"
import { Review } from "../model/Review.ts"
import type { ReviewInput } from "../model/Review.ts"
import { Ids } from "../ports/Ids.ts"
import type { AgentAction } from "../ports/Policy.ts"
import { fundingOf, Settlement } from "../ports/Settlement.ts"
import { Store } from "../ports/Store.ts"
import { writesOf } from "../rules/DealRoomProgress.ts"
import type { Progress } from "../rules/DealRoomProgress.ts"
import { viewRoom } from "../rules/DealRooms.ts"
import * as fulfilment from "../rules/Fulfilment.ts"
import * as negotiation from "../rules/Negotiation.ts"
import type { MoveRefused } from "../rules/StateTable.ts"
import { acceptInRoom } from "./acceptance.ts"
import { Commands } from "./Commands.ts"
import type { WriteOptions, WriteRefused, Written } from "./Commands.ts"
import { paged } from "./Cursors.ts"
import { gate } from "./Gate.ts"
import type { GateRefused } from "./Gate.ts"
import { checkUnanswered } from "./knocks.ts"
import { bindingOf } from "./lists.ts"
import { openingOf } from "./openings.ts"
import { Said, sayInRoom } from "./messages.ts"
import { moderator } from "./moderation.ts"
import { notFound, reliesOnAgent } from "./reads.ts"
import { reviewChange } from "./reviews.ts"
import { readRoom, roomChange, roomsAsOf, takeSeat } from "./rooms.ts"
import type { Seat } from "./rooms.ts"
import { transcriptPage } from "./transcripts.ts"

export type RoomWriteRefused = WriteRefused | MoveRefused | GateRefused | NotFound | VersionConflict

type RoomWrite<E = never> = Effect.Effect<Written<DealRoomView>, RoomWriteRefused | E>

export class DealRooms extends Context.Service<
  DealRooms,
  {
    readonly open: (
      by: AgentId,
      input: DealRoomInput,
      options?: WriteOptions
    ) => Effect.Effect<
      Written<DealRoomView>,
      Exclude<RoomWriteRefused, VersionConflict> | SelfDeal | InvalidRequest
    >
    readonly get: (viewer: AgentId, id: DealRoomId) => Effect.Effect<DealRoomView, NotFound | Unavailable>
    readonly list: (
      viewer: AgentId,
      query: PageQuery
    ) => Effect.Effect<CursorPage<DealRoomView>, InvalidCursor | Unavailable>
    /** The transcript from its beginning: a chain is read, and verified, forwards. */
    readonly entries: (
      viewer: AgentId,
      id: DealRoomId,
      query: PageQuery
    ) => Effect.Effect<CursorPage<Entry>, InvalidCursor | NotFound | Unavailable>
    readonly say: (
      by: AgentId,
      id: DealRoomId,
      message: Message,
      options?: WriteOptions
    ) => Effect.Effect<Written<Said>, RoomWriteRefused>
    readonly offer: (
      by: AgentId,
      id: DealRoomId,
      input: OfferInput,
      options?: WriteOptions
    ) => RoomWrite<InvalidRequest>
    /** Agrees to an offer; in a room that a quote opened this awards the RFQ, in the same commit. */
    readonly accept: (
      by: AgentId,
      id: DealRoomId,
      offerId: OfferId,
      acceptance: Acceptance,
      options?: WriteOptions
    ) => RoomWrite<OfferExpired | TermsMismatch | RequirementUnmet>
    /** Takes the offer off the table: `reject` by the other side, `withdraw` by its author. */
    readonly clearOffer: (
      by: AgentId,
      id: DealRoomId,
      offerId: OfferId,
      move: "reject" | "withdraw",
      reason: string | undefined,
      options?: WriteOptions
    ) => RoomWrite<OfferExpired>
    readonly decline: (
      by: AgentId,
      id: DealRoomId,
      reason: string | undefined,
      options?: WriteOptions
    ) => RoomWrite
    readonly deliver: (by: AgentId, id: DealRoomId, delivery: Delivery, options?: WriteOptions) => RoomWrite
    readonly complete: (by: AgentId, id: DealRoomId, options?: WriteOptions) => RoomWrite
    readonly requestChanges: (
      by: AgentId,
      id: DealRoomId,
      reason: string,
      options?: WriteOptions
    ) => RoomWrite
    readonly cancel: (
      by: AgentId,
      id: DealRoomId,
      reason: string | undefined,
      options?: WriteOptions
    ) => RoomWrite
    readonly dispute: (by: AgentId, id: DealRoomId, reason: string, options?: WriteOptions) => RoomWrite
    readonly review: (
      by: AgentId,
      id: DealRoomId,
      input: ReviewInput,
      options?: WriteOptions
    ) => Effect.Effect<Written<Review>, RoomWriteRefused>
  }
>()("@souk/core/DealRooms") {
  static readonly layer: Layer.Layer<DealRooms, never, Store | Commands | Ids | SecureRandom.SecureRandom> =
    Layer.effect(
      DealRooms,
      Effect.gen(function* () {
        const store = yield* Store
        const random = yield* SecureRandom.SecureRandom
        const commands = yield* Commands
        const ids = yield* Ids
        const actor = yield* gate
        const moderate = yield* moderator
        const funding = yield* fundingOf(yield* Settlement)

        /** Runs a move of one side: read the room, decide by the clock, write down what came of it. */
        const move = <E>(
          by: AgentId,
          id: DealRoomId,
          action: AgentAction,
          options: WriteOptions | undefined,
          decide: (seat: Seat, now: Instant) => Effect.Effect<Progress, E>
        ) =>
          commands.run(
            {
              on: id,
              result: DealRoomView,
              decide: Effect.fnUntraced(function* (now: Instant) {
                const seat = yield* takeSeat(store, actor, by, id, action, options)
                return yield* roomChange(store, seat, yield* decide(seat, now), now, (room) =>
                  viewRoom(room, by, now)
                )
              })
            },
            options
          )

        const pure =
          <E>(decide: (seat: Seat, now: Instant) => Result.Result<Progress, E>) =>
          (seat: Seat, now: Instant) =>
            Effect.fromResult(decide(seat, now))

        const offerOf = Effect.fnUntraced(function* (id: DealRoomId, offerId: OfferId) {
          const offer = yield* store.rooms.offer(offerId)
          if (offer === undefined || offer.roomId !== id) return yield* notFound("offer in this room")
          return offer
        })

        const open = Effect.fn("DealRooms.open")(function* (
          by: AgentId,
          input: DealRoomInput,
          options?: WriteOptions
        ) {
          const decide = Effect.fnUntraced(function* (now: Instant) {
            const subject =
              input.listingId ?? input.requestId ?? input.quoteId ?? input.matchId ?? input.counterparty
            const agent = yield* actor(by, "deal_room.open", { subject })
            const { opening, reliesOn, writes } = yield* openingOf(
              store,
              agent,
              input,
              yield* ids.next("deal_room"),
              now
            )
            const other = opening.buyerId === by ? opening.sellerId : opening.buyerId
            yield* checkUnanswered(store, by, other, now)
            const opened = negotiation.openRoom(opening, now)
            const progress =
              input.offer === undefined
                ? opened
                : yield* Effect.fromResult(
                    negotiation.makeOffer(
                      opened,
                      opening.openedBy,
                      yield* ids.next("offer"),
                      input.offer,
                      now
                    )
                  )
            return {
              result: viewRoom(progress.room, by, now),
              writes: [...writesOf(progress, null, undefined), ...writes],
              events: progress.events,
              reliesOn: [reliesOnAgent(agent), ...reliesOn]
            }
          })
          return yield* commands.run({ on: by, result: DealRoomView, decide }, options)
        })

        const get = Effect.fn("DealRooms.get")(function* (viewer: AgentId, id: DealRoomId) {
          const { progress } = yield* readRoom(store, viewer, id)
          return viewRoom(progress.room, viewer, yield* DateTime.now)
        })

        const list = Effect.fn("DealRooms.list")(function* (viewer: AgentId, query: PageQuery) {
          const now = yield* DateTime.now
          const page = yield* paged(bindingOf("deal rooms", viewer, {}), query, (page) =>
            store.rooms.list({ participant: viewer }, page)
          )
          const judged = yield* roomsAsOf(store, page.items, now)
          return { ...page, items: judged.map(({ progress }) => viewRoom(progress.room, viewer, now)) }
        })

        const entries = Effect.fn("DealRooms.entries")(function* (
          viewer: AgentId,
          id: DealRoomId,
          query: PageQuery
        ) {
          return yield* transcriptPage(store, viewer, id, query)
        })

        const say = Effect.fn("DealRooms.say")(function* (
          by: AgentId,
          id: DealRoomId,
          message: Message,
          options?: WriteOptions
        ) {
          const decide = Effect.fnUntraced(function* (now: Instant) {
            const seat = yield* takeSeat(store, actor, by, id, "deal_room.message", options)
            return yield* sayInRoom(store, moderate, random, seat, message, now)
          })
          return yield* commands.run({ on: id, result: Said, decide }, options)
        })

        const offer = Effect.fn("DealRooms.offer")(
          (by: AgentId, id: DealRoomId, input: OfferInput, options?: WriteOptions) =>
            move(by, id, "deal_room.offer", options, ({ progress, side }, now) =>
              Effect.flatMap(ids.next("offer"), (offerId) =>
                Effect.fromResult(negotiation.makeOffer(progress, side, offerId, input, now))
              )
            )
        )

        const accept = Effect.fn("DealRooms.accept")(function* (
          by: AgentId,
          id: DealRoomId,
          offerId: OfferId,
          acceptance: Acceptance,
          options?: WriteOptions
        ) {
          const decide = Effect.fnUntraced(function* (now: Instant) {
            const seat = yield* takeSeat(store, actor, by, id, "deal_room.accept", options)
            return yield* acceptInRoom(store, seat, yield* offerOf(id, offerId), acceptance, funding, now)
          })
          return yield* commands.run({ on: id, result: DealRoomView, decide }, options)
        })

        const clearOffer = Effect.fn("DealRooms.clearOffer")(
          (
            by: AgentId,
            id: DealRoomId,
            offerId: OfferId,
            name: "reject" | "withdraw",
            reason: string | undefined,
            options?: WriteOptions
          ) =>
            move(by, id, `deal_room.${name}`, options, ({ progress, side }, now) =>
              Effect.flatMap(offerOf(id, offerId), (offer) =>
                Effect.fromResult(negotiation.clearOffer(progress, side, offer, name, reason, now))
              )
            )
        )

        const decline = Effect.fn("DealRooms.decline")(
          (by: AgentId, id: DealRoomId, reason: string | undefined, options?: WriteOptions) =>
            move(
              by,
              id,
              "deal_room.decline",
              options,
              pure(({ progress, side }, now) => negotiation.decline(progress, side, reason, now))
            )
        )
        const deliver = Effect.fn("DealRooms.deliver")(
          (by: AgentId, id: DealRoomId, delivery: Delivery, options?: WriteOptions) =>
            move(
              by,
              id,
              "deal_room.deliver",
              options,
              pure(({ progress, side }, now) => fulfilment.deliver(progress, side, delivery, now))
            )
        )
        const complete = Effect.fn("DealRooms.complete")(
          (by: AgentId, id: DealRoomId, options?: WriteOptions) =>
            move(
              by,
              id,
              "deal_room.complete",
              options,
              pure(({ progress, side }, now) => fulfilment.acceptDelivery(progress, side, now))
            )
        )
        const requestChanges = Effect.fn("DealRooms.requestChanges")(
          (by: AgentId, id: DealRoomId, reason: string, options?: WriteOptions) =>
            move(
              by,
              id,
              "deal_room.request_changes",
              options,
              pure(({ progress, side }, now) => fulfilment.requestChanges(progress, side, reason, now))
            )
        )
        const cancel = Effect.fn("DealRooms.cancel")(
          (by: AgentId, id: DealRoomId, reason: string | undefined, options?: WriteOptions) =>
            move(
              by,
              id,
              "deal_room.cancel",
              options,
              pure(({ progress, side }, now) => fulfilment.cancel(progress, side, reason, now))
            )
        )
        const dispute = Effect.fn("DealRooms.dispute")(
          (by: AgentId, id: DealRoomId, reason: string, options?: WriteOptions) =>
            move(
              by,
              id,
              "deal_room.dispute",
              options,
              pure(({ progress, side }, now) => fulfilment.dispute(progress, side, reason, now))
            )
        )

        const review = Effect.fn("DealRooms.review")(function* (
          by: AgentId,
          id: DealRoomId,
          input: ReviewInput,
          options?: WriteOptions
        ) {
          const decide = Effect.fnUntraced(function* (now: Instant) {
            const seat = yield* takeSeat(store, actor, by, id, "deal_room.review", options)
            return yield* reviewChange(store, seat, input, yield* ids.next("review"), now)
          })
          return yield* commands.run({ on: id, result: Review, decide }, options)
        })

        return DealRooms.of({
          open,
          get,
          list,
          entries,
          say,
          offer,
          accept,
          clearOffer,
          decline,
          deliver,
          complete,
          requestChanges,
          cancel,
          dispute,
          review
        })
      })
    )
}
