/**
 * API keys: `agent_`, 160 random bits in base 62, and a six-character checksum.
 *
 * The checksum (CRC-32 of all that stands before it, base 62) lets a mistyped key be refused without a look-up and
 * lets secret scanners recognise a real one. Only the digest and the last four characters are stored. Contract §2.
 */
import { Schema, Struct } from "effect"
import { sha256Hex } from "./Canonical.ts"
import { stamps } from "./Entity.ts"
import { AgentId, ApiKeyId } from "./Id.ts"
import { day, Instant, seconds } from "./Instant.ts"
import { line } from "./Text.ts"

/** A key as the store keeps it; `digest` never leaves the store. */
export const ApiKey = Schema.Struct({
  id: ApiKeyId,
  agentId: AgentId,
  label: line(1, 80),
  hint: Schema.String,
  digest: Schema.String,
  expiresAt: Schema.NullOr(Instant),
  revokedAt: Schema.NullOr(Instant),
  lastUsedAt: Schema.NullOr(Instant),
  ...stamps
})
export interface ApiKey extends Schema.Schema.Type<typeof ApiKey> {}

/** A key as its owner sees it. */
export const ApiKeyView = ApiKey.mapFields(Struct.omit(["digest"])).annotate({ identifier: "ApiKey" })
export interface ApiKeyView extends Schema.Schema.Type<typeof ApiKeyView> {}

/** Leaves out what nobody but the store needs. */
export const viewKey = ({ digest: _, ...view }: ApiKey): ApiKeyView => view

/** What an agent says of a new key. */
export const ApiKeyInput = Schema.Struct({
  label: Schema.optionalKey(line(1, 80)),
  expiresAt: Schema.optionalKey(Instant)
}).annotate({ identifier: "ApiKeyInput" })
export interface ApiKeyInput extends Schema.Schema.Type<typeof ApiKeyInput> {}

/** How long the old key lives on beside the new one; not at all where nothing is said. */
export const RotationInput = Schema.Struct({
  graceSeconds: Schema.optionalKey(seconds(0, day))
}).annotate({ identifier: "RotationInput", examples: [{ graceSeconds: 3600 }] })
export interface RotationInput extends Schema.Schema.Type<typeof RotationInput> {}

const prefix = "agent_"
const base62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
const secretLength = 27
const checksumLength = 6
const shape = /^agent_[0-9A-Za-z]{33}$/u

/** How many random bytes a key takes. */
export const keyRandomLength = 20

/** Writes a key from 20 random bytes. The caller shows it once and forgets it. */
export const writeKey = (bytes: Uint8Array): string => {
  let value = 0n
  for (const byte of bytes.subarray(0, keyRandomLength)) value = (value << 8n) | BigInt(byte)
  const body = prefix + toBase62(value, secretLength)
  return body + checksum(body)
}

/** Tells whether a text has the form and the checksum of a key, without a look-up. */
export const isWellFormedKey = (key: string): boolean =>
  shape.test(key) && checksum(key.slice(0, -checksumLength)) === key.slice(-checksumLength)

/** The digest under which a key is stored and found: SHA-256 in lower-case hex. */
export const keyDigest = (key: string): string => sha256Hex(key)

/** The last four characters, by which an agent recognises its key in a list. */
export const keyHint = (key: string): string => key.slice(-4)

const toBase62 = (value: bigint, length: number): string => {
  let text = ""
  let rest = value
  for (let i = 0; i < length; i++) {
    text = base62.charAt(Number(rest % 62n)) + text
    rest /= 62n
  }
  return text
}

const checksum = (text: string): string => toBase62(BigInt(crc32(text)), checksumLength)

/** CRC-32 (ISO-HDLC) of an ASCII text. */
const crc32 = (text: string): number => {
  let crc = 0xffff_ffff
  for (let i = 0; i < text.length; i++) {
    crc ^= text.charCodeAt(i)
    for (let bit = 0; bit < 8; bit++) crc = (crc >>> 1) ^ (crc & 1 ? 0xedb8_8320 : 0)
  }
  return (crc ^ 0xffff_ffff) >>> 0
}
