/** Requests for quotation: asking for quotes, browsing and deciding. Contract §3 RFQ, §5. */
import { Context, DateTime, Effect, Layer, Schema } from "effect"
import type { SecureRandom } from "effect/crypto"
import type { Change } from "../model/Change.ts"
import { DealRoomView } from "../model/DealRoom.ts"
import { InvalidRequest, KeyMissing, PolicyRefused } from "../model/Errors.ts"
import type {
  InvalidCursor,
  NotFound,
  OfferExpired,
  RequirementUnmet,
  TermsMismatch,
  Unavailable,
  VersionConflict
} from "../model/Errors.ts"
import { RfqId } from "../model/Id.ts"
import type { AgentId, QuestionId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import { toMicros } from "../model/Money.ts"
import type { CursorPage, Page, PageQuery, PageRequest } from "../model/Page.ts"
import { Quote } from "../model/Quote.ts"
import type { AwardInput } from "../model/Quote.ts"
import { Question, RfqStatus, RfqView } from "../model/Rfq.ts"
import type { AnswerInput, QuestionInput, Rfq, RfqInput, RfqPatch } from "../model/Rfq.ts"
import { matchesRfq } from "../ports/filters.ts"
import { Ids } from "../ports/Ids.ts"
import type { ModeratedContent } from "../ports/Moderation.ts"
import type { AgentAction } from "../ports/Policy.ts"
import { SearchIndex } from "../ports/SearchIndex.ts"
import { fundingOf, Settlement } from "../ports/Settlement.ts"
import type { RfqFilter } from "../ports/Store.ts"
import { Store } from "../ports/Store.ts"
import { award } from "../rules/Award.ts"
import { viewRoom } from "../rules/DealRooms.ts"
import { holdNewRfq, holdRfq } from "../rules/Holds.ts"
import * as questions from "../rules/Questions.ts"
import * as rules from "../rules/Rfqs.ts"
import { viewRfq } from "../rules/Seals.ts"
import type { MoveRefused } from "../rules/StateTable.ts"
import { Commands } from "./Commands.ts"
import type { WriteOptions, WriteRefused, Written } from "./Commands.ts"
import { paged } from "./Cursors.ts"
import { gate } from "./Gate.ts"
import type { GateRefused } from "./Gate.ts"
import { notes, withHoldEnded } from "./holds.ts"
import { bindingOf, mentions, scanPage, textPage } from "./lists.ts"
import { moderator } from "./moderation.ts"
import { foreign, matchVersion, notFound, reliesOnAgent } from "./reads.ts"
import { endedTalks } from "./rooms.ts"
import { sealer } from "./seals.ts"

/** Which RFQs a caller wants: open ones where nothing is said; `agent: "me"` are its own, whatever their status. */
export interface RfqQuery extends PageQuery {
  readonly q?: string | undefined
  readonly tag?: string | undefined
  readonly category?: string | undefined
  readonly agent?: AgentId | "me" | undefined
  readonly maxPrice?: string | undefined
  readonly currency?: string | undefined
  readonly updatedSince?: Instant | undefined
  readonly status?: RfqStatus | undefined
  readonly closesBefore?: Instant | undefined
}

/** What an award makes: the RFQ is decided, the quote won, and the deal goes on in a room. */
export const Award = Schema.Struct({ rfq: RfqView, quote: Quote, dealRoom: DealRoomView })
export interface Award extends Schema.Schema.Type<typeof Award> {}

/** A question that was asked or answered, and its RFQ. */
export const Asked = Schema.Struct({ rfq: RfqView, question: Question })
export interface Asked extends Schema.Schema.Type<typeof Asked> {}

export type RfqWriteRefused =
  | WriteRefused
  | MoveRefused
  | InvalidRequest
  | GateRefused
  | NotFound
  | VersionConflict

export class Rfqs extends Context.Service<
  Rfqs,
  {
    readonly create: (
      by: AgentId,
      input: RfqInput,
      options?: WriteOptions
    ) => Effect.Effect<Written<RfqView>, WriteRefused | InvalidRequest | GateRefused>
    readonly get: (viewer: AgentId | undefined, id: RfqId) => Effect.Effect<RfqView, NotFound | Unavailable>
    readonly list: (
      viewer: AgentId | undefined,
      query: RfqQuery
    ) => Effect.Effect<CursorPage<RfqView>, InvalidCursor | InvalidRequest | KeyMissing | Unavailable>
    readonly update: (
      by: AgentId,
      id: RfqId,
      patch: RfqPatch,
      options?: WriteOptions
    ) => Effect.Effect<Written<RfqView>, RfqWriteRefused>
    /** Opens a draft, closes the call early, cancels, or gives up. */
    readonly move: (
      by: AgentId,
      id: RfqId,
      move: "open" | "close" | "cancel" | "unsuccessful",
      options?: WriteOptions
    ) => Effect.Effect<Written<RfqView>, RfqWriteRefused>
    /** Asks the buyer about an open RFQ: any other agent that sees it may. */
    readonly ask: (
      by: AgentId,
      id: RfqId,
      input: QuestionInput,
      options?: WriteOptions
    ) => Effect.Effect<Written<Asked>, RfqWriteRefused>
    /** Answers a question, once, while the RFQ is open or under evaluation. */
    readonly answer: (
      by: AgentId,
      id: RfqId,
      questionId: QuestionId,
      input: AnswerInput,
      options?: WriteOptions
    ) => Effect.Effect<Written<Asked>, RfqWriteRefused>
    /** Decides for a quote, in one commit with everything that follows. */
    readonly award: (
      by: AgentId,
      id: RfqId,
      input: AwardInput,
      options?: WriteOptions
    ) => Effect.Effect<Written<Award>, RfqWriteRefused | OfferExpired | RequirementUnmet | TermsMismatch>
  }
>()("@souk/core/Rfqs") {
  static readonly layer: Layer.Layer<
    Rfqs,
    never,
    Store | Commands | Ids | SearchIndex | SecureRandom.SecureRandom
  > = Layer.effect(
    Rfqs,
    Effect.gen(function* () {
      const store = yield* Store
      const commands = yield* Commands
      const ids = yield* Ids
      const index = yield* SearchIndex

      const seal = yield* sealer

      /** Draws the seal of an RFQ that is to have one, and shows the RFQ as its readers get it. */
      const sealed = (decided: Change<Rfq>, now: Instant) =>
        Effect.map(seal(decided), (change) => ({
          ...change,
          result: viewRfq(change.result, change.result.agentId, now)
        }))

      const actor = yield* gate
      const moderate = yield* moderator

      /** Has what others would see looked at before: it may have to wait. */
      const holdOf = Effect.fnUntraced(function* (rfq: Rfq, now: Instant) {
        const { agentId, id } = rfq
        if (rfq.status !== "open") return undefined
        const held = yield* moderate({ kind: "rfq", agentId, rfq: viewRfq(rfq, agentId, now) })
        return held?.of(agentId, { kind: "rfq", id }, now)
      })

      /** An open RFQ has no state in which a change of it could wait. */
      const seen = Effect.fnUntraced(function* (before: Rfq, change: Change<Rfq>, now: Instant) {
        const rfq = change.result
        const hold = yield* holdOf(rfq, now)
        if (hold === undefined) return yield* withHoldEnded(store, change, before, rfq, notes.takenBack, now)
        if (before.status === "open") return yield* new PolicyRefused({ message: hold.reason })
        return yield* Effect.fromResult(holdRfq(before, rfq, hold))
      })

      /** Questions and answers have no state in which they could wait: what would be held is refused. */
      const allowed = Effect.fnUntraced(function* (content: ModeratedContent) {
        const held = yield* moderate(content)
        if (held !== undefined) return yield* new PolicyRefused({ message: held.reason })
      })

      const funding = yield* fundingOf(yield* Settlement)

      const readable = Effect.fnUntraced(function* (viewer: AgentId | undefined, id: RfqId) {
        const rfq = yield* store.rfqs.byId(id)
        if (rfq === undefined || !rules.mayRead(rfq, viewer)) return yield* notFound("RFQ")
        return rfq
      })

      const owned = Effect.fnUntraced(function* (
        by: AgentId,
        id: RfqId,
        action: AgentAction,
        now: Instant,
        options: WriteOptions | undefined
      ) {
        const agent = yield* actor(by, action, { subject: id })
        const stored = yield* readable(by, id)
        if (stored.agentId !== by) return yield* foreign("RFQ")
        yield* matchVersion(rules.rfqAsOf(stored, now).rfq, options)
        return { reliesOn: [reliesOnAgent(agent)], stored }
      })

      const create = Effect.fn("Rfqs.create")(function* (
        by: AgentId,
        input: RfqInput,
        options?: WriteOptions
      ) {
        // Drawn once: what the moderation has looked at is what is opened.
        const id = yield* ids.next("rfq")
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const agent = yield* actor(by, "rfq.create")
          yield* knownInvitees(store, input.invitees)
          const created = yield* Effect.fromResult(rules.create(input, id, by, now))
          const hold = yield* holdOf(created.result, now)
          const change = hold === undefined ? created : holdNewRfq(created.result, hold)
          return { ...(yield* sealed(change, now)), reliesOn: [reliesOnAgent(agent)] }
        })
        return yield* commands.run({ on: by, result: RfqView, decide }, options)
      })

      const get = Effect.fn("Rfqs.get")(function* (viewer: AgentId | undefined, id: RfqId) {
        const now = yield* DateTime.now
        return viewRfq(rules.rfqAsOf(yield* readable(viewer, id), now).rfq, viewer, now)
      })

      const list = Effect.fn("Rfqs.list")(function* (viewer: AgentId | undefined, query: RfqQuery) {
        const now = yield* DateTime.now
        const filter = yield* filterOf(viewer, query, now)
        const { q } = query
        const read = (page: PageRequest): Effect.Effect<Page<Rfq>, Unavailable> => {
          if (q === undefined) return store.rfqs.list(filter, page)
          // The index holds open RFQs alone.
          if (statusesOf(query).some((status) => status !== "open"))
            return scanPage(page, (next) => store.rfqs.list(filter, next), mentions(q))
          return textPage(index, { text: q, kinds: ["rfq"], viewer }, page, (found) =>
            Effect.map(store.rfqs.byIds(found.map((id) => RfqId.make(id))), (rfqs) =>
              rfqs.filter((rfq) => matchesRfq(filter, rfq))
            )
          )
        }
        const page = yield* paged(bindingOf("rfqs", viewer, query), query, read)
        return { ...page, items: page.items.map((rfq) => viewRfq(rules.rfqAsOf(rfq, now).rfq, viewer, now)) }
      })

      const update = Effect.fn("Rfqs.update")(function* (
        by: AgentId,
        id: RfqId,
        patch: RfqPatch,
        options?: WriteOptions
      ) {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const { reliesOn, stored } = yield* owned(by, id, "rfq.update", now, options)
          yield* knownInvitees(store, patch.invitees)
          const updated = yield* Effect.fromResult(rules.update(stored, patch, now))
          return { ...(yield* sealed(yield* seen(stored, updated, now), now)), reliesOn }
        })
        return yield* commands.run({ on: id, result: RfqView, decide }, options)
      })

      const move = Effect.fn("Rfqs.move")(function* (
        by: AgentId,
        id: RfqId,
        name: "open" | "close" | "cancel" | "unsuccessful",
        options?: WriteOptions
      ) {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const { reliesOn, stored } = yield* owned(by, id, `rfq.${name}`, now, options)
          const moved = yield* Effect.fromResult(rules.move(stored, name, "buyer", now))
          const isEnd = name === "cancel" || name === "unsuccessful"
          const deadlines = isEnd ? yield* endedTalks(store, stored, now) : []
          return { ...(yield* sealed(yield* seen(stored, moved, now), now)), reliesOn, deadlines }
        })
        return yield* commands.run({ on: id, result: RfqView, decide }, options)
      })

      const ask = Effect.fn("Rfqs.ask")(function* (
        by: AgentId,
        id: RfqId,
        input: QuestionInput,
        options?: WriteOptions
      ) {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const agent = yield* actor(by, "rfq.ask", { subject: id })
          const stored = yield* readable(by, id)
          yield* matchVersion(rules.rfqAsOf(stored, now).rfq, options)
          const change = yield* Effect.fromResult(
            questions.ask(stored, input, yield* ids.next("question"), by, now)
          )
          yield* allowed({ kind: "question", agentId: by, rfqId: id, question: input })
          return { ...shown(change, by, now), reliesOn: [reliesOnAgent(agent)] }
        })
        return yield* commands.run({ on: id, result: Asked, decide }, options)
      })

      const answer = Effect.fn("Rfqs.answer")(function* (
        by: AgentId,
        id: RfqId,
        questionId: QuestionId,
        input: AnswerInput,
        options?: WriteOptions
      ) {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const { reliesOn, stored } = yield* owned(by, id, "rfq.answer", now, options)
          const asked = stored.questions.find((question) => question.id === questionId)
          if (asked === undefined) return yield* notFound("question of this RFQ")
          const change = yield* Effect.fromResult(questions.answer(stored, asked, input, now))
          yield* allowed({ kind: "answer", agentId: by, rfqId: id, questionId, answer: input })
          return { ...shown(change, by, now), reliesOn }
        })
        return yield* commands.run({ on: id, result: Asked, decide }, options)
      })

      const awardQuote = Effect.fn("Rfqs.award")(function* (
        by: AgentId,
        id: RfqId,
        input: AwardInput,
        options?: WriteOptions
      ) {
        const decide = Effect.fnUntraced(function* (now: Instant) {
          const { reliesOn, stored } = yield* owned(by, id, "rfq.award", now, options)
          const quote = yield* store.quotes.byId(input.quoteId)
          if (quote === undefined || quote.rfqId !== id) return yield* notFound("quote of this RFQ")
          const change = yield* Effect.fromResult(
            award(
              { rfq: stored, quote, others: yield* store.quotes.allActive(id) },
              {
                roomId: yield* ids.next("deal_room"),
                offerId: yield* ids.next("offer"),
                termsDigest: input.termsDigest,
                acceptDeviations: input.acceptDeviations ?? false,
                funding
              },
              now
            )
          )
          const { rfq, quote: won, room } = change.result
          return {
            ...change,
            result: { rfq: viewRfq(rfq, by, now), quote: won, dealRoom: viewRoom(room, by, now) },
            reliesOn,
            deadlines: yield* endedTalks(store, rfq, now)
          }
        })
        return yield* commands.run({ on: id, result: Award, decide }, options)
      })

      return Rfqs.of({ create, get, list, update, move, ask, answer, award: awardQuote })
    })
  )
}

/** Refuses to invite whoever cannot come: a mistyped id would leave an RFQ without its seller, and nobody would know. */
const knownInvitees = Effect.fnUntraced(function* (
  store: Store["Service"],
  invitees: ReadonlyArray<AgentId> | undefined
) {
  if (invitees === undefined) return
  const agents = new Map((yield* store.agents.byIds(invitees)).map((agent) => [agent.id, agent]))
  const issues = invitees.flatMap((id, index) => {
    const path = `payload.invitees.${index}`
    const status = agents.get(id)?.status
    if (status === undefined) return [{ path, message: "is no agent" }]
    return status === "closed" ? [{ path, message: "is an agent whose account is closed" }] : []
  })
  const [first] = issues
  if (first !== undefined)
    return yield* new InvalidRequest({ message: `${first.path} ${first.message}`, issues })
})

/** A question with its RFQ as its readers get it. */
const shown = (
  change: Change<{ readonly rfq: Rfq; readonly question: Question }>,
  viewer: AgentId,
  now: Instant
) => {
  const { rfq, question } = change.result
  return { ...change, result: { rfq: viewRfq(rfq, viewer, now), question } }
}

const filterOf = Effect.fnUntraced(function* (viewer: AgentId | undefined, query: RfqQuery, now: Instant) {
  const own = query.agent === "me" || (query.agent !== undefined && query.agent === viewer)
  if (query.agent === "me" && viewer === undefined)
    return yield* new KeyMissing({ message: "agent=me needs a key: send it as X-AGENT-KEY." })
  if (query.status === "draft" && !own)
    return yield* InvalidRequest.at("query.status", "draft is for one's own RFQs: add agent=me")
  const filter: RfqFilter = {
    states: statusesOf(query).flatMap((status) => rules.rfqStatesAt(status, now)),
    viewer,
    agentId: query.agent === "me" ? viewer : query.agent,
    tag: query.tag,
    category: query.category,
    maxPriceMicros: query.maxPrice === undefined ? undefined : toMicros(query.maxPrice),
    currency: query.currency,
    updatedSince: query.updatedSince,
    closesBefore: query.closesBefore
  }
  return filter
})

const statusesOf = ({ agent, status }: RfqQuery): ReadonlyArray<RfqStatus> => {
  if (status !== undefined) return [status]
  return agent === "me" ? RfqStatus.literals : ["open"]
}
