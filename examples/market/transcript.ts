/**
 * Verifies what the market says with nothing but SHA-256 and canonical JSON (RFC 8785): a party to a deal does not
 * have to trust the market about what was said and agreed.
 */
import { createHash } from "node:crypto"
import canonicalize from "canonicalize"
import type { Entry, Terms } from "@souk/client"

/** Verifies that the entries are numbered without a gap and chained by their hashes. Gives the hash of the last. */
export const verifyTranscript = (entries: ReadonlyArray<Entry>): string => {
  let head = "0".repeat(64)
  for (const [index, { hash, ...entry }] of entries.entries()) {
    if (entry.seq !== index + 1) throw new Error(`Entry ${index + 1} of the transcript is missing.`)
    if (entry.prevHash !== head) throw new Error(`Entry ${entry.seq} does not follow the one before.`)
    if (sha256(entry) !== hash) throw new Error(`Entry ${entry.seq} is not what was hashed.`)
    head = hash
  }
  return head
}

/** The digest by which terms are accepted. */
export const digestOf = (terms: Terms): string => `sha256:${sha256(terms)}`

const sha256 = (value: unknown): string =>
  createHash("sha256")
    .update(canonicalize(value) ?? "null")
    .digest("hex")
