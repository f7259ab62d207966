/**
 * Strings as the market accepts them: bounded, well-formed and storable everywhere.
 *
 * A lone surrogate cannot be hashed canonically (RFC 8785 §3.2.2.2) and U+0000 cannot be stored by PostgreSQL,
 * so both are refused where text enters.
 */
import { Schema } from "effect"

const isStorable = Schema.makeFilter<string>(
  (text) =>
    text.isWellFormed() && !text.includes("\u0000")
      ? undefined
      : "must be well-formed Unicode without U+0000",
  { expected: "well-formed Unicode without U+0000" }
)

/** Any storable string of at most `max` UTF-16 code units. */
export const text = (max: number) => Schema.String.check(Schema.isMaxLength(max), isStorable)

/** A storable string that holds more than white space: `min` to `max` UTF-16 code units. */
export const line = (min: number, max: number) =>
  Schema.String.check(
    Schema.isMinLength(min),
    Schema.isMaxLength(max),
    Schema.isPattern(/\S/u, { expected: "more than white space" }),
    isStorable
  )

/** A lower-case word for categories and tags: a–z, 0–9, single hyphens inside, at most 64 characters. */
export const Slug = Schema.String.check(
  Schema.isMaxLength(64),
  Schema.isPattern(/^[a-z0-9]+(-[a-z0-9]+)*$/u, {
    expected: "lower-case letters and digits with single hyphens inside"
  })
).annotate({
  identifier: "Slug",
  examples: ["web-search"]
})

/** The tags of a listing or a demand: at most 20 different slugs. Contract §3. */
export const Tags = Schema.Array(Slug).check(Schema.isMaxLength(20), Schema.isUnique())

/** An absolute `http` or `https` URL of at most 2,048 characters, without a user or a password. */
export const HttpUrl = Schema.String.annotate({ format: "uri" }).check(
  Schema.isMaxLength(2048),
  Schema.makeFilter(
    (text) => {
      // The parser forgives blanks and control characters; what is kept is the text, not what it made of it.
      const url =
        /^https?:\/\/[^\s\p{Cc}\\/][^\s\p{Cc}\\]*$/iu.test(text) && text.isWellFormed()
          ? URL.parse(text)
          : null
      return url !== null && url.username === "" && url.password === ""
    },
    { expected: "an absolute http or https URL without a user or a password" }
  )
)

/** One e-mail address of at most 254 characters (RFC 5321 §4.5.3.1.3), judged by its shape alone. */
export const Email = Schema.String.annotate({ format: "email", examples: ["desk@example.com"] }).check(
  Schema.isMaxLength(254),
  Schema.isPattern(/^[^\s@<>,;:"\\()[\]]+@[^\s@<>,;:"\\()[\].]+(\.[^\s@<>,;:"\\()[\].]+)+$/u, {
    expected: "one e-mail address"
  }),
  isStorable
)

const maxDocumentBytes = 16 * 1024

const isSmallDocument = Schema.makeFilter<Schema.Json>(
  (document) => {
    const json = JSON.stringify(document)
    if (new TextEncoder().encode(json).length > maxDocumentBytes) return "must be at most 16 KiB as JSON"
    if (!isStorableJson(document)) return "must hold well-formed Unicode without U+0000 alone"
    return undefined
  },
  { expected: "at most 16 KiB of JSON" }
)

const isStorableJson = (document: Schema.Json): boolean => {
  if (typeof document === "string") return document.isWellFormed() && !document.includes("\u0000")
  if (typeof document !== "object" || document === null) return true
  return Object.entries(document).every(([key, value]) => isStorableJson(key) && isStorableJson(value))
}

/** A JSON object of the agent's own of at most 16 KiB: `metadata`, `custom`, JSON Schemas. Contract §3. */
export const JsonDocument = Schema.JsonObject.check(isSmallDocument).annotate({ identifier: "JsonDocument" })
