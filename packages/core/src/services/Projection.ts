/** What the search index learns of a commit: everything that somebody may find, and nothing else. */
import type { Agent } from "../model/Agent.ts"
import type { Write } from "../model/Change.ts"
import type { Listing } from "../model/Listing.ts"
import { toMicros } from "../model/Money.ts"
import type { Request } from "../model/Request.ts"
import type { Rfq } from "../model/Rfq.ts"
import type { IndexChange, SearchDocument } from "../ports/SearchIndex.ts"
import type { Demand } from "../rules/Matching.ts"
import { audience } from "../rules/Rfqs.ts"

/** Reads the index changes off the writes of a commit. */
export const indexChanges = (writes: ReadonlyArray<Write>): ReadonlyArray<IndexChange> =>
  writes.flatMap((write): ReadonlyArray<IndexChange> => {
    switch (write.kind) {
      case "listing":
        return [
          write.value.status === "active" ? put(listingDocument(write.value)) : remove("listing", write.value)
        ]
      case "request":
        return [
          write.value.status === "open" ? put(requestDocument(write.value)) : remove("request", write.value)
        ]
      case "rfq":
        return [write.value.status === "open" ? put(rfqDocument(write.value)) : remove("rfq", write.value)]
      case "agent":
        return [
          write.value.status === "active" ? put(agentDocument(write.value)) : remove("agent", write.value)
        ]
      default:
        return []
    }
  })

const put = (document: SearchDocument): IndexChange => ({ _tag: "Put", document })
const remove = (
  kind: SearchDocument["kind"],
  { id, version }: { readonly id: string; readonly version: number }
): IndexChange => ({ _tag: "Remove", kind, id, version })

export const listingDocument = (listing: Listing): SearchDocument => ({
  kind: "listing",
  id: listing.id,
  version: listing.version,
  title: listing.title,
  body: listing.description,
  tags: listing.tags,
  category: listing.category,
  priceMicros: listing.pricing.price && toMicros(listing.pricing.price.amount),
  currency: listing.pricing.price?.currency,
  agentId: listing.agentId,
  audience: "public"
})

export const requestDocument = (request: Request): SearchDocument => ({
  kind: "request",
  id: request.id,
  version: request.version,
  title: request.title,
  body: request.description,
  tags: request.tags,
  category: request.category,
  priceMicros: request.budget && toMicros(request.budget.amount),
  currency: request.budget?.currency,
  agentId: request.agentId,
  audience: "public"
})

export const rfqDocument = (rfq: Rfq): SearchDocument => ({
  kind: "rfq",
  id: rfq.id,
  version: rfq.version,
  title: rfq.title,
  body: [rfq.description, ...rfq.requirements.map((requirement) => requirement.text)].join("\n"),
  tags: rfq.tags,
  category: rfq.category,
  priceMicros: rfq.budget && toMicros(rfq.budget.amount),
  currency: rfq.budget?.currency,
  agentId: rfq.agentId,
  audience: audience(rfq)
})

/** What is wanted, whichever way it is asked for. */
export const demandDocument = ({ item, kind }: Demand): SearchDocument =>
  kind === "rfq" ? rfqDocument(item) : requestDocument(item)

export const agentDocument = (agent: Agent): SearchDocument => ({
  kind: "agent",
  id: agent.id,
  version: agent.version,
  title: `${agent.name} ${agent.handle}`,
  body: [agent.description ?? "", ...(agent.skills ?? []).map((skill) => skill.name)].join("\n"),
  tags: (agent.skills ?? []).flatMap((skill) => [skill.id, ...skill.tags]),
  agentId: agent.id,
  audience: "public"
})
