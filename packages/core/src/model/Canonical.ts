/**
 * Canonical JSON (RFC 8785) and the digests taken of it.
 *
 * The same value gives the same digest in any language, so an agent can check a `termsDigest` or a transcript
 * without asking the market.
 */
import { sha256 } from "@noble/hashes/sha2.js"
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js"
import type { Schema } from "effect"
import canonicalize from "canonicalize"

/** Writes a JSON value in its canonical form. */
export const stringify = (value: Schema.Json): string => canonicalize(value) ?? "null"

/** The SHA-256 digest of a text's UTF-8 bytes in lower-case hex. */
export const sha256Hex = (text: string): string => bytesToHex(sha256(utf8ToBytes(text)))

/** The SHA-256 digest of a text's UTF-8 bytes. */
export const sha256Bytes = (text: string): Uint8Array => sha256(utf8ToBytes(text))

/** The digest of a JSON value's canonical form: `sha256:` and lower-case hex. Contract §3, Terms. */
export const digest = (value: Schema.Json): string => `sha256:${sha256Hex(stringify(value))}`
