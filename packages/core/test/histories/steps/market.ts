/** Listings, requests, RFQs, quotes and matches. */
import { Effect } from "effect"
import { Listings, Matches, Matching, Quotes, Requests, Rfqs, termsDigest } from "../../../src/index.ts"
import type { AgentId, Money, RfqId, RfqPatch } from "../../../src/index.ts"
import { act } from "../manners.ts"
import type { Draw, Step } from "../manners.ts"
import { idsOf, mark, markedTerms, oneOf, owns, ownsTerms, pick } from "../world.ts"
import type { World } from "../world.ts"
import {
  activeQuotes,
  by,
  day,
  endedQuotes,
  inSeconds,
  listings,
  on,
  openRfqs,
  questioned,
  requests,
  rfqs,
  suggestions,
  undecidedRfqs,
  within
} from "./common.ts"

const price = (how: number): Money => ({
  amount: `${1 + (how % 500)}`,
  currency: oneOf(["EUR", "EUR", "EUR", "USD"], how)
})

/** Some name no budget, some one that few can meet. */
const budget = (how: number): { readonly budget?: Money } =>
  how % 3 === 0 ? {} : { budget: { amount: `${1 + ((how * 7) % 600)}`, currency: "EUR" } }

const othersThan = (world: World, agent: AgentId, which: number) =>
  idsOf(world.ledger.agents).filter((id, n) => id !== agent && n % 2 === which % 2)

const submit = Effect.fnUntraced(function* (world: World, draw: Draw, agent: AgentId, id: RfqId) {
  const terms = markedTerms(1 + (draw.how % 900), mark(world))
  const responses = [{ requirementId: "sworn", met: draw.how % 3 !== 0 }]
  const service = yield* Quotes
  const quote = yield* act(world, draw, agent, (options) =>
    service.submit(agent, id, { terms, responses }, options)
  )
  world.firstTerms.set(quote.id, quote.termsDigest)
  world.consents.add(`${quote.id} ${agent} ${termsDigest(terms)}`)
  ownsTerms(world, terms, quote.id)
})

export const marketSteps: { readonly [name: string]: Step } = {
  publish: (world, draw) =>
    Effect.gen(function* () {
      const text = mark(world)
      const agent = by(world, draw)
      const service = yield* Listings
      const input = {
        title: "Translate legal texts",
        description: text,
        tags: ["legal"],
        pricing: { model: "fixed", price: price(draw.how) },
        status: oneOf(["active", "active", "draft"], draw.how)
      } as const
      const { id } = yield* act(world, draw, agent, (options) => service.publish(agent, input, options))
      owns(world, text, id)
    }),

  updateListing: within(listings, (id, agent, draw, world) =>
    Effect.gen(function* () {
      const text = mark(world)
      const service = yield* Listings
      const patch = {
        turnaroundSeconds: 1 + draw.how,
        ...(draw.how % 2 === 0 ? { description: text } : {}),
        ...(draw.how % 3 === 0 ? { pricing: { model: "fixed" as const, price: price(draw.how) } } : {})
      }
      yield* act(world, draw, agent, (options) => service.update(agent, id, patch, options), id)
      owns(world, text, id)
    })
  ),

  moveListing: within(listings, (id, agent, draw, world) =>
    Effect.flatMap(Listings, (service) => {
      const move = oneOf(["pause", "activate", "activate", "archive"], draw.how)
      return act(world, draw, agent, (options) => service.move(agent, id, move, options), id)
    })
  ),

  ask: (world, draw) =>
    Effect.gen(function* () {
      const text = mark(world)
      const agent = by(world, draw)
      const service = yield* Requests
      const input = {
        title: "Someone to translate legal texts",
        description: text,
        tags: ["legal"],
        ...budget(draw.how),
        ...(draw.how % 4 === 0 ? {} : { expiresAt: yield* inSeconds(day * (1 + (draw.how % 5))) })
      }
      const { id } = yield* act(world, draw, agent, (options) => service.open(agent, input, options))
      owns(world, text, id)
    }),

  updateRequest: within(requests, (id, agent, draw, world) =>
    Effect.gen(function* () {
      const text = mark(world)
      const service = yield* Requests
      const patch = { description: text, ...budget(draw.how) }
      yield* act(world, draw, agent, (options) => service.update(agent, id, patch, options), id)
      owns(world, text, id)
    })
  ),

  endRequest: within(requests, (id, agent, draw, world) =>
    Effect.flatMap(Requests, (service) => {
      const move = oneOf(["fulfil", "cancel"], draw.how)
      return act(world, draw, agent, (options) => service.end(agent, id, move, options), id)
    })
  ),

  callForQuotes: (world, draw) =>
    Effect.gen(function* () {
      const text = mark(world)
      const agent = by(world, draw)
      const service = yield* Rfqs
      const invited = draw.which % 3 === 0
      const input = {
        title: "Translate a legal contract",
        description: text,
        tags: ["legal"],
        requirements: [{ id: "sworn", text: "A sworn translator", hard: true }],
        quoteDeadline: yield* inSeconds(day * (1 + (draw.how % 10))),
        maxQuotes: 1 + (draw.how % 4),
        quoteMode: oneOf(["open", "sealed"], draw.how),
        ...budget(draw.which),
        ...(invited
          ? { visibility: "invited" as const, invitees: othersThan(world, agent, draw.which) }
          : {}),
        status: draw.how % 7 === 0 ? ("draft" as const) : ("open" as const)
      }
      const { id } = yield* act(world, draw, agent, (options) => service.create(agent, input, options))
      owns(world, text, id)
    }),

  updateRfq: within(undecidedRfqs, (id, agent, draw, world) =>
    Effect.gen(function* () {
      const text = mark(world)
      const service = yield* Rfqs
      const patches: ReadonlyArray<RfqPatch> = [
        { visibility: "invited", invitees: othersThan(world, agent, draw.which) },
        { visibility: "public", invitees: [] },
        { quoteDeadline: yield* inSeconds(day * (draw.which % 12)) },
        { quoteMode: oneOf(["open", "sealed"], draw.which) },
        { description: text, budget: null },
        { description: text, ...budget(draw.which) }
      ]
      const patch = oneOf(patches, draw.how)
      yield* act(world, draw, agent, (options) => service.update(agent, id, patch, options), id)
      owns(world, text, id)
    })
  ),

  moveRfq: within(rfqs, (id, agent, draw, world) =>
    Effect.flatMap(Rfqs, (service) => {
      const move = oneOf(["open", "close", "cancel", "unsuccessful", "open"], draw.how)
      return act(world, draw, agent, (options) => service.move(agent, id, move, options), id)
    })
  ),

  askQuestion: on(openRfqs, (id, agent, draw, world) =>
    Effect.gen(function* () {
      const text = mark(world)
      const service = yield* Rfqs
      yield* act(world, draw, agent, (options) => service.ask(agent, id, { text }, options), id)
      owns(world, text, id)
    })
  ),

  answerQuestion: within(questioned, (id, agent, draw, world) =>
    Effect.gen(function* () {
      const question = pick(world.ledger.rfqs.get(id)?.questions ?? [], draw.how)
      if (question === undefined) return
      const text = mark(world)
      const service = yield* Rfqs
      yield* act(
        world,
        draw,
        agent,
        (options) => service.answer(agent, id, question.id, { text }, options),
        id
      )
      owns(world, text, id)
    })
  ),

  quote: on(openRfqs, (id, agent, draw, world) => submit(world, draw, agent, id)),

  /** Who gave up his quote, or was turned down, quotes again. */
  quoteAgain: on(endedQuotes, (id, _agent, draw, world) => {
    const former = world.ledger.quotes.get(id)
    return former === undefined ? Effect.void : submit(world, draw, former.agentId, former.rfqId)
  }),

  reviseQuote: within(activeQuotes, (id, agent, draw, world) =>
    Effect.gen(function* () {
      const terms = markedTerms(1 + (draw.how % 900), mark(world))
      const service = yield* Quotes
      yield* act(world, draw, agent, (options) => service.revise(agent, id, { terms }, options), id)
      world.consents.add(`${id} ${agent} ${termsDigest(terms)}`)
      ownsTerms(world, terms, id)
    })
  ),

  endQuote: within(activeQuotes, (id, agent, draw, world) =>
    Effect.gen(function* () {
      const reason = mark(world)
      const service = yield* Quotes
      const isHis = world.ledger.quotes.get(id)?.agentId === agent
      yield* isHis === draw.how % 6 > 0
        ? act(world, draw, agent, (options) => service.withdraw(agent, id, reason, options), id)
        : act(world, draw, agent, (options) => service.decline(agent, id, reason, options), id)
      owns(world, reason, `the parties of ${id}`)
    })
  ),

  award: on(activeQuotes, (id, _agent, draw, world) =>
    Effect.gen(function* () {
      const quote = world.ledger.quotes.get(id)
      const rfq = world.ledger.rfqs.get(quote?.rfqId ?? "")
      if (quote === undefined || rfq === undefined) return
      const buyer = awarder(world, draw, rfq.agentId)
      // He names what he read, or, of a quote that has one text only, nothing.
      const named =
        draw.how % 3 === 0 ? undefined : draw.how % 7 === 0 ? world.firstTerms.get(id) : quote.termsDigest
      const input = {
        quoteId: id,
        ...(named === undefined ? {} : { termsDigest: named }),
        acceptDeviations: draw.how % 2 === 0
      }
      const service = yield* Rfqs
      yield* act(world, draw, buyer, (options) => service.award(buyer, rfq.id, input, options), rfq.id)
      world.consents.add(`${id} ${buyer} ${named ?? world.firstTerms.get(id)}`)
    })
  ),

  match: () => Effect.flatMap(Matching, ({ round }) => Effect.repeat(round, { while: (count) => count > 0 })),

  dismiss: within(suggestions, (id, agent, draw, world) =>
    Effect.flatMap(Matches, (service) =>
      act(world, draw, agent, (options) => service.dismiss(agent, id, options), id)
    )
  )
}

/** Mostly the buyer himself. */
const awarder = (world: World, { how, who }: Draw, buyer: AgentId): AgentId =>
  who % 4 === 0 ? oneOf(idsOf(world.ledger.agents), how) : buyer
