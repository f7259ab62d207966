import { assert, describe, it } from "@effect/vitest"
import { DateTime, Result } from "effect"
import fc from "fast-check"
import { createHash } from "node:crypto"
import { after, Canonical, noHash, verifyTranscript } from "../../src/index.ts"
import type { Entry } from "../../src/index.ts"
import { append } from "../../src/rules/Transcript.ts"
import { buyer, idOf, now, seller } from "./samples.ts"

const roomId = idOf("deal_room", 1)

const chainOf = (texts: ReadonlyArray<string>): ReadonlyArray<Entry> => {
  const entries: Array<Entry> = []
  for (const [place, text] of texts.entries()) {
    const last = entries.at(-1)
    const head = { entryCount: entries.length, headHash: last?.hash ?? noHash }
    const authorId = place % 2 === 0 ? buyer : seller
    entries.push(append(roomId, head, { kind: "message", authorId, body: { text }, at: after(now, place) }))
  }
  return entries
}

const chains = fc.array(fc.string(), { minLength: 1, maxLength: 12 }).map(chainOf)

/** A chain, and the place of one of its entries. */
const placed = chains.chain((entries) =>
  fc.record({ entries: fc.constant(entries), place: fc.nat({ max: entries.length - 1 }) })
)

const isIntact = (entries: ReadonlyArray<Entry>): boolean => Result.isSuccess(verifyTranscript(entries))

const tampered: Readonly<Record<string, (entry: Entry) => Entry>> = {
  "its body": (entry) => ({ ...entry, body: { ...entry.body, more: 1 } }),
  "its author": (entry) => ({ ...entry, authorId: entry.authorId === buyer ? seller : buyer }),
  "no author": ({ authorId: _, ...entry }) => entry,
  "its moment": (entry) => ({ ...entry, at: after(entry.at, 0.001) }),
  "its kind": (entry) => ({ ...entry, kind: "delivery" }),
  "its room": (entry) => ({ ...entry, roomId: idOf("deal_room", 2) }),
  "its id": (entry) => ({ ...entry, id: idOf("entry", 9) }),
  "its place": (entry) => ({ ...entry, seq: entry.seq + 1 }),
  "its hash": (entry) => ({ ...entry, hash: Canonical.sha256Hex(entry.hash) }),
  "the hash before it": (entry) => ({ ...entry, prevHash: Canonical.sha256Hex(entry.prevHash) })
}

describe("a transcript", () => {
  it("verifies as it was written, and ends in its last hash", () => {
    fc.assert(
      fc.property(chains, (entries) => {
        const head = Result.getOrThrow(verifyTranscript(entries))
        assert.deepStrictEqual(head, { entryCount: entries.length, headHash: entries.at(-1)?.hash })
        assert.deepStrictEqual(
          entries.map((entry) => entry.seq),
          entries.map((_, place) => place + 1)
        )
      })
    )
    assert.deepStrictEqual(verifyTranscript([]), Result.succeed({ entryCount: 0, headHash: noHash }))
  })

  it.each(Object.entries(tampered))("shows when an entry was given another value: %s", (_, tamper) => {
    fc.assert(
      fc.property(placed, ({ entries, place }) =>
        assert.isFalse(isIntact(entries.map((entry, n) => (n === place ? tamper(entry) : entry))))
      )
    )
  })

  it("shows when an entry is missing, doubled or out of order, up to the last", () => {
    fc.assert(
      fc.property(placed, ({ entries, place }) => {
        const head = Result.getOrThrow(verifyTranscript(entries))
        const without = verifyTranscript(entries.filter((_, n) => n !== place))
        if (place < entries.length - 1) assert.isTrue(Result.isFailure(without))
        // Nothing in a chain tells that its end was cut off: its head does.
        else assert.notDeepEqual(without, Result.succeed(head))
        assert.isFalse(isIntact(entries.flatMap((entry, n) => (n === place ? [entry, entry] : [entry]))))
        if (entries.length > 1) assert.isFalse(isIntact(entries.toReversed()))
      })
    )
  })

  it("shows when an entry was written anew with a hash that is right for it", () => {
    fc.assert(
      fc.property(placed, ({ entries, place }) => {
        const head = Result.getOrThrow(verifyTranscript(entries))
        const forged = entries.map((entry, n) =>
          n === place
            ? append(
                roomId,
                { entryCount: n, headHash: entry.prevHash },
                { kind: "message", authorId: buyer, body: { text: "forged" }, at: entry.at }
              )
            : entry
        )
        const verified = verifyTranscript(forged)
        // The entry behind it gives it away; behind the last stands the head.
        if (place === entries.length - 1) assert.notDeepEqual(verified, Result.succeed(head))
        else assert.deepStrictEqual(verified, Result.fail({ seq: place + 2, problem: "prev_hash" as const }))
      })
    )
  })

  it("says where it is broken", () => {
    const entries = chainOf(["a", "b", "c"])
    const forged = entries.map((entry) => (entry.seq === 2 ? { ...entry, body: { text: "x" } } : entry))
    assert.deepStrictEqual(verifyTranscript(forged), Result.fail({ seq: 2, problem: "hash" as const }))
    assert.deepStrictEqual(
      verifyTranscript(entries.slice(1)),
      Result.fail({ seq: 1, problem: "gap" as const })
    )
  })

  it("can be verified without our code: the hash is that of the canonical entry", () => {
    const [entry] = chainOf(["hello"])
    assert(entry !== undefined)
    const canonical = Canonical.stringify({
      at: DateTime.formatIso(entry.at),
      authorId: buyer,
      body: { text: "hello" },
      id: entry.id,
      kind: "message",
      prevHash: "0".repeat(64),
      roomId,
      seq: 1
    })
    assert.strictEqual(entry.hash, createHash("sha256").update(canonical).digest("hex"))
  })
})
