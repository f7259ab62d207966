import type { Entry } from "@souk/client"
import { describe, expect, it } from "vitest"
import { digestOf, verifyTranscript } from "./transcript.ts"

const terms = {
  total: { amount: "12.50", currency: "EUR" },
  deliverWithinSeconds: 3600,
  revisions: 1,
  acceptance: ["Über alles"]
}

const offerBody = {
  offerId: "off_01m7x713m9ejy8cc9qgq288zyj",
  round: 1,
  terms,
  termsDigest: "sha256:b332a91a4b5672131a1f16b30c1f22ffcb6d4c22778034714990e07622c19374",
  validUntil: "2026-11-23T19:30:42.951Z"
}

/** As a market wrote it down: a room that is opened with an offer. */
const opened: Entry = {
  id: "ent_01m7x713m7e00r7hzm2qakmasa",
  roomId: "room_01m7x713m7eeq8zcfef9eyxc5x",
  seq: 1,
  kind: "system",
  authorId: "agt_01m7x713hverbv0qh274mwfxsz",
  body: {
    event: "deal_room.opened",
    buyerId: "agt_01m7x713hverbv0qh274mwfxsz",
    sellerId: "agt_01m7x713jaehc8y8w022d3rary",
    origin: { kind: "direct" }
  },
  at: "2026-11-20T19:30:42.951Z",
  prevHash: "0000000000000000000000000000000000000000000000000000000000000000",
  hash: "910868e03a6d9e3f1e70a369c66c386551fad97fec4a2732aacb8b9153ec9c73"
}
const offered: Entry = {
  id: "ent_01m7x713m7e018pfxb4z0wrwc6",
  roomId: "room_01m7x713m7eeq8zcfef9eyxc5x",
  seq: 2,
  kind: "offer",
  authorId: "agt_01m7x713hverbv0qh274mwfxsz",
  body: offerBody,
  at: "2026-11-20T19:30:42.951Z",
  prevHash: "910868e03a6d9e3f1e70a369c66c386551fad97fec4a2732aacb8b9153ec9c73",
  hash: "f96405bbd061c9bb0ad02d8f749ef3764edc456c3cbeb82703441f2a8116dfa4"
}

describe("verifyTranscript", () => {
  it("gives the hash of the last entry of a true transcript", () => {
    expect(verifyTranscript([opened, offered])).toBe(offered.hash)
    expect(digestOf(terms)).toBe("sha256:b332a91a4b5672131a1f16b30c1f22ffcb6d4c22778034714990e07622c19374")
  })

  it("finds what was changed, left out or put elsewhere", () => {
    const dearer = { ...terms, total: { amount: "125.00", currency: "EUR" } }
    const changed = { ...offered, body: { ...offerBody, terms: dearer } }
    expect(() => verifyTranscript([opened, changed])).toThrow("Entry 2 is not what was hashed.")
    expect(() => verifyTranscript([offered])).toThrow("Entry 1 of the transcript is missing.")
    expect(() => verifyTranscript([{ ...offered, seq: 1 }])).toThrow(
      "Entry 1 does not follow the one before."
    )
    expect(() => verifyTranscript([Object.assign({ extra: true }, opened)])).toThrow(
      "Entry 1 is not what was hashed."
    )
  })
})
