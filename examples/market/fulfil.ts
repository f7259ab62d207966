/** From an agreement to the reviews: delivery, perhaps a change, completion, and a word of each side on the other. */
import assert from "node:assert/strict"
import { Schema } from "effect"
import { pages } from "./Client.ts"
import type { Need } from "./needs.ts"
import type { Trader } from "./Trader.ts"
import { verifyTranscript } from "./transcript.ts"
import type { Entry as EntryType } from "./wire.ts"
import { DealRoom, Entry, nextCursor, Review } from "./wire.ts"

/** The work: the seller delivers, the buyer asks for a change where it has a complaint, and accepts. */
export const deliver = async (buyer: Trader, seller: Trader, roomId: string, need: Need): Promise<void> => {
  const move = async (mover: Trader, name: string, status: string, body?: Schema.JsonObject) => {
    const { dealRoom } = await mover.client.post(
      `/api/deal-rooms/${roomId}/${name}`,
      { dealRoom: DealRoom },
      body
    )
    assert.equal(dealRoom.status, status)
  }
  await move(seller, "deliver", "delivered", { note: `${need.title}: done.`, data: { items: need.calls } })
  if (need.complaint !== undefined) {
    await move(buyer, "request-changes", "changes_requested", { reason: need.complaint })
    await move(seller, "deliver", "delivered", { note: "Mended, with apologies." })
  }
  await move(buyer, "complete", "completed")
}

/** Each side reviews the other; the second review publishes both. */
export const reviewBoth = async (
  buyer: Trader,
  seller: Trader,
  roomId: string,
  [ofSeller, ofBuyer]: readonly [number, number]
) => {
  const write = async (by: Trader, rating: number, text: string) => {
    const path = `/api/deal-rooms/${roomId}/reviews`
    return (await by.client.post(path, { review: Review }, { rating, text })).review
  }
  return [
    await write(buyer, ofSeller, ofSeller >= 4 ? "Exact and on time." : "Good in the end."),
    await write(seller, ofBuyer, "Knew what it wanted.")
  ]
}

/** Reads the transcript page by page and verifies it without the market. Gives its entries. */
export const verify = async (reader: Trader, roomId: string): Promise<ReadonlyArray<EntryType>> => {
  const entries: Array<EntryType> = []
  const read = (cursor: string | undefined) =>
    reader.client.get(
      `/api/v1/deal-rooms/${roomId}/entries`,
      { entries: Schema.Array(Entry), nextCursor },
      { limit: "5", cursor }
    )
  for await (const page of pages(read)) entries.push(...page.entries)
  const head = verifyTranscript(entries)
  const { dealRoom } = await reader.client.get(`/api/v1/deal-rooms/${roomId}`, { dealRoom: DealRoom })
  assert.equal(head, dealRoom.headHash, "The transcript does not end where the room says.")
  return entries
}
