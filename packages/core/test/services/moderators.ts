/** Hosts that moderate by rule, and what they hold. */
import { assert } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { Events, Listings, Moderation, Operators, Rfqs, Search } from "../../src/index.ts"
import type { AgentId, Hold, Listing, ModeratedContent, ModerationVerdict, RfqView } from "../../src/index.ts"
import { codeOf, listingInput, market } from "../fixtures.ts"

const textOf = (content: ModeratedContent): string => {
  switch (content.kind) {
    case "listing":
      return content.listing.title
    case "rfq":
      return content.rfq.title
    case "message":
      return content.message.text
    case "question":
      return content.question.text
    case "answer":
      return content.answer.text
  }
}

/** A moderation that holds what sounds dubious and refuses what sounds bad, and what it was shown. */
export const moderation = () => {
  const shown: Array<string> = []
  const judge = (text: string): ModerationVerdict => {
    if (text.includes("dubious")) return { outcome: "held", reason: "Somebody looks at it." }
    return text.includes("bad") ? { outcome: "refused", reason: "Not here." } : { outcome: "allowed" }
  }
  const mood: { review: (content: ModeratedContent) => Effect.Effect<ModerationVerdict, unknown> } = {
    review: (content) => Effect.sync(() => judge(textOf(content)))
  }
  const layer = Layer.succeed(Moderation, {
    review: (content) =>
      Effect.suspend(() => {
        shown.push(`${content.kind}: ${textOf(content)}`)
        return mood.review(content)
      })
  })
  return { shown, mood, market: Layer.provide(market(), layer) }
}

export const publish = Effect.fnUntraced(function* (seller: AgentId, title: string, status?: "draft") {
  const input = listingInput({ title, ...(status === undefined ? {} : { status }) })
  return (yield* (yield* Listings).publish(seller, input)).value
})

export const holdsOf = (status: Hold["status"] = "held") =>
  Operators.use((operators) => Effect.map(operators.holds(status, {}), ({ items }) => items))

/** The one hold that waits. */
export const onlyHold = Effect.gen(function* () {
  const [hold, ...others] = yield* holdsOf()
  assert(hold !== undefined)
  assert.isEmpty(others)
  return hold
})

export const heard = (viewer: AgentId | undefined, about: string) =>
  Effect.gen(function* () {
    const page = yield* (yield* Events).page(viewer, { after: "earliest", subject: about, limit: 100 })
    return page.items.map(({ event }) => event)
  })

/** Nobody but its owner finds anything of it. */
export const expectHidden = Effect.fnUntraced(function* (item: Listing | RfqView, viewer: AgentId) {
  const [listings, rfqs, search] = yield* Effect.all([Listings, Rfqs, Search])
  for (const reader of [undefined, viewer]) {
    const byId = "pricing" in item ? codeOf(listings.get(reader, item.id)) : codeOf(rfqs.get(reader, item.id))
    assert.strictEqual(yield* byId, "not_found")
    assert.isEmpty((yield* listings.list(reader, {})).items)
    for (const status of ["open", "evaluating", "cancelled", "unsuccessful"] as const)
      assert.isEmpty((yield* rfqs.list(reader, { status })).items)
    assert.isEmpty((yield* search.find(reader, { q: "dubious" })).items)
  }
})
