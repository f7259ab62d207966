/** From an agreement to the reviews: delivery, perhaps a change, completion, and a word of each side on the other. */
import assert from "node:assert/strict"
import type { DealRoom, Entry } from "@souk/client"
import type { Need } from "./needs.ts"
import type { Trader } from "./Trader.ts"
import { verifyTranscript } from "./transcript.ts"

/** The work: the seller delivers, the buyer asks for a change where it has a complaint, and accepts. */
export const deliver = async (buyer: Trader, seller: Trader, roomId: string, need: Need): Promise<void> => {
  const [buying, selling] = [buyer.souk.dealRooms, seller.souk.dealRooms]
  const leadsTo = async (status: DealRoom["status"], move: Promise<{ readonly dealRoom: DealRoom }>) =>
    assert.equal((await move).dealRoom.status, status)

  const delivery = { note: `${need.title}: done.`, data: { items: need.calls } }
  await leadsTo("delivered", selling.deliver(roomId, delivery))
  if (need.complaint !== undefined) {
    await leadsTo("changes_requested", buying.requestChanges(roomId, { reason: need.complaint }))
    await leadsTo("delivered", selling.deliver(roomId, { note: "Mended, with apologies." }))
  }
  await leadsTo("completed", buying.complete(roomId))
}

/** Each side reviews the other; the second review publishes both. */
export const reviewBoth = async (
  buyer: Trader,
  seller: Trader,
  roomId: string,
  [ofSeller, ofBuyer]: readonly [number, number]
) => {
  const write = async (by: Trader, rating: number, text: string) =>
    (await by.souk.dealRooms.review(roomId, { rating, text })).review
  return [
    await write(buyer, ofSeller, ofSeller >= 4 ? "Exact and on time." : "Good in the end."),
    await write(seller, ofBuyer, "Knew what it wanted.")
  ]
}

/** Reads the transcript page by page and verifies it without the market. Gives its entries. */
export const verify = async (reader: Trader, roomId: string): Promise<ReadonlyArray<Entry>> => {
  const entries: Array<Entry> = []
  for await (const entry of reader.souk.dealRooms.entries(roomId, { limit: 5 })) entries.push(entry)
  const head = verifyTranscript(entries)
  const { dealRoom } = await reader.souk.dealRooms.get(roomId)
  assert.equal(head, dealRoom.headHash, "The transcript does not end where the room says.")
  return entries
}
