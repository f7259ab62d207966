/**
 * The transcript of a deal room: entries without a gap, each chained to the one before by its hash.
 *
 * Whoever holds the entries can verify them without the market. Contract §3, Entry.
 */
import { DateTime, Result, Schema } from "effect"
import { sha256Bytes, sha256Hex, stringify } from "../model/Canonical.ts"
import { Entry } from "../model/DealRoom.ts"
import type { EntryKind } from "../model/DealRoom.ts"
import type { AgentId, DealRoomId } from "../model/Id.ts"
import { makeId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"

/** The `prevHash` of the first entry. */
export const noHash = "0".repeat(64)

/** What an entry says, before it has its place in the chain. */
export interface EntryText {
  readonly kind: EntryKind
  readonly authorId?: AgentId | undefined
  readonly body: Schema.JsonObject
  readonly at: Instant
}

/** Where a chain ends: how many entries it has, and the hash of the last. */
export interface ChainHead {
  readonly entryCount: number
  readonly headHash: string
}

/** Writes the next entry of a chain. Its id follows from its place, so that replaying a story gives the same chain. */
export const append = (roomId: DealRoomId, head: ChainHead, text: EntryText): Entry => {
  const seq = head.entryCount + 1
  const unsigned: Omit<Entry, "hash"> = {
    id: makeId("entry", {
      millis: DateTime.toEpochMillis(text.at),
      ordinal: seq & 0xfff,
      bytes: sha256Bytes(`${roomId}/${seq}`)
    }),
    roomId,
    seq,
    kind: text.kind,
    ...(text.authorId === undefined ? {} : { authorId: text.authorId }),
    body: text.body,
    at: text.at,
    prevHash: head.headHash
  }
  return { ...unsigned, hash: hashOf(unsigned) }
}

/** The first thing that is wrong with a transcript. */
export interface BrokenTranscript {
  readonly seq: number
  readonly problem: "gap" | "prev_hash" | "hash"
}

/** Verifies a whole transcript offline: its numbering, its chain, and each entry's hash. */
export const verifyTranscript = (
  entries: ReadonlyArray<Entry>
): Result.Result<ChainHead, BrokenTranscript> => {
  let head: ChainHead = { entryCount: 0, headHash: noHash }
  for (const { hash, ...unsigned } of entries) {
    const seq = head.entryCount + 1
    if (unsigned.seq !== seq) return Result.fail({ seq, problem: "gap" })
    if (unsigned.prevHash !== head.headHash) return Result.fail({ seq, problem: "prev_hash" })
    if (hashOf(unsigned) !== hash) return Result.fail({ seq, problem: "hash" })
    head = { entryCount: seq, headHash: hash }
  }
  return Result.succeed(head)
}

const { hash: _, ...unsignedFields } = Entry.fields
const encodeUnsigned = Schema.encodeSync(Schema.Struct(unsignedFields))

const hashOf = (entry: Omit<Entry, "hash">): string => sha256Hex(stringify(encodeUnsigned(entry)))
