/** Terms: what is delivered, by when and for how much. Shared by quotes, offers and agreements. Contract §3, Terms. */
import { Schema } from "effect"
import { digest } from "./Canonical.ts"
import { day, seconds } from "./Instant.ts"
import { maxMicros, Money, toMicros } from "./Money.ts"
import { JsonDocument, line, text } from "./Text.ts"

/** One line of a price: `quantity` units at `unitPrice`. Quantities are whole; a fraction is a smaller unit. */
export const TermsLine = Schema.Struct({
  description: line(1, 200),
  quantity: Schema.Int.check(Schema.isBetween({ minimum: 1, maximum: 1_000_000_000 })),
  unit: Schema.optionalKey(line(1, 40)),
  unitPrice: Money
}).annotate({ identifier: "TermsLine" })

export const Terms = Schema.Struct({
  lines: Schema.optionalKey(Schema.Array(TermsLine).check(Schema.isMinLength(1), Schema.isMaxLength(50))),
  total: Money,
  deliverWithinSeconds: seconds(1, 366 * day),
  revisions: Schema.Int.check(Schema.isBetween({ minimum: 0, maximum: 20 })),
  acceptance: Schema.Array(line(1, 500)).check(Schema.isMaxLength(20)),
  notes: Schema.optionalKey(text(2000)),
  custom: Schema.optionalKey(JsonDocument)
})
  .annotate({
    examples: [
      {
        total: { amount: "250.00", currency: "EUR" },
        deliverWithinSeconds: 86_400,
        revisions: 2,
        acceptance: ["All pages translated", "Glossary used throughout"]
      }
    ]
  })
  .check(
    Schema.makeFilter((terms) => {
      if (terms.lines === undefined) return undefined
      const stray = terms.lines.findIndex((line) => line.unitPrice.currency !== terms.total.currency)
      if (stray >= 0)
        return { path: ["lines", stray, "unitPrice", "currency"], issue: "must be the currency of the total" }
      const sum = terms.lines.reduce(
        (sum, line) => sum + BigInt(line.quantity) * toMicros(line.unitPrice.amount),
        0n
      )
      return sum === toMicros(terms.total.amount) && sum <= maxMicros
        ? undefined
        : { path: ["total", "amount"], issue: "must be the sum of the lines" }
    })
  )
  .annotate({ identifier: "Terms" })
export interface Terms extends Schema.Schema.Type<typeof Terms> {}

/** `sha256:` and the hex digest of the canonical JSON (RFC 8785) of some terms. */
export const TermsDigest = Schema.String.check(
  Schema.isPattern(/^sha256:[0-9a-f]{64}$/u, { expected: "sha256: and 64 lower-case hex digits" })
).annotate({
  identifier: "TermsDigest",
  examples: ["sha256:9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08"]
})

const encode = Schema.encodeSync(Schema.toCodecJson(Terms))

/** The digest that an acceptance must name, so that nobody agrees to an amount that he did not see. */
export const termsDigest = (terms: Terms): string => digest(encode(terms))
