/**
 * The order in which a buyer gets sealed quotes: it follows from a seed that is drawn when the RFQ is opened, committed
 * to at once, and shown when the deadline has passed. Who holds the seed and the ids can check the order without asking
 * the market. Contract §3 Quote.
 */
import { sha256Hex } from "../model/Canonical.ts"
import type { Change, Write } from "../model/Change.ts"
import type { AgentId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import { hasPassed } from "../model/Instant.ts"
import type { Rfq, RfqView } from "../model/Rfq.ts"

/** What a seed is committed to by: the SHA-256 of its hex text, in lower-case hex. */
export const sealCommitment = (seed: string): string => sha256Hex(seed)

/** What a quote is ordered by: the SHA-256 of the seed, a slash and the quote's id, in lower-case hex. */
export const rankOf = (seed: string, quoteId: string): string => sha256Hex(`${seed}/${quoteId}`)

/** Puts the quotes of a sealed RFQ into the order in which its buyer gets them, in whatever order they are given. */
export const sealedOrder = <Id extends string>(
  seed: string,
  quoteIds: ReadonlyArray<Id>
): ReadonlyArray<Id> =>
  quoteIds
    .map((id) => ({ id, rank: rankOf(seed, id) }))
    .toSorted((a, b) => (a.rank < b.rank ? -1 : 1))
    .map(({ id }) => id)

/**
 * An RFQ as a reader gets it: nobody, the buyer included, is shown the seed before the deadline, and nobody but the buyer
 * why an operator removed it.
 */
export const viewRfq = (rfq: Rfq, viewer: AgentId | undefined, now: Instant): RfqView => {
  const { removal, seal, ...content } = rfq
  const rest = removal !== undefined && viewer === rfq.agentId ? { ...content, removal } : content
  if (seal === undefined) return rest
  const commitment = sealCommitment(seal.seed)
  return {
    ...rest,
    seal: hasPassed(rfq.quoteDeadline, now) ? { commitment, seed: seal.seed } : { commitment }
  }
}

/**
 * Whether an RFQ is to get its seal: when it is open and sealed. A draft has none, since its deadline can pass and be
 * set anew.
 */
export const needsSeal = (rfq: Rfq): boolean =>
  rfq.status === "open" && rfq.quoteMode === "sealed" && rfq.seal === undefined

/** Gives the RFQ of a change its seal. */
export const sealWith = (change: Change<Rfq>, seed: string): Change<Rfq> => {
  const sealed: Rfq = { ...change.result, seal: { seed } }
  return {
    ...change,
    result: sealed,
    writes: change.writes.map((write): Write =>
      write.kind === "rfq" && write.value.id === sealed.id ? { ...write, value: sealed } : write
    )
  }
}
