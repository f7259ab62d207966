/**
 * Exact money: a decimal string and a currency, computed in millionths.
 *
 * Contract §1, "Money": at most six fraction digits, below 10¹², never a float.
 */
import { Schema } from "effect"

/** A decimal amount, zero or more, as a string. */
export const Amount = Schema.String.check(
  Schema.isPattern(/^(0|[1-9]\d{0,11})(\.\d{1,6})?$/u, {
    expected: "a decimal string with at most 12 digits before the point and 6 behind it"
  })
).annotate({ identifier: "Amount", examples: ["12.50"] })

/** ISO 4217, or an upper-case token symbol of 3 to 12 letters or digits. */
export const Currency = Schema.String.check(
  Schema.isPattern(/^[A-Z0-9]{3,12}$/u, { expected: "3 to 12 upper-case letters or digits" })
).annotate({ identifier: "Currency", examples: ["EUR"] })

export const Money = Schema.Struct({ amount: Amount, currency: Currency }).annotate({
  identifier: "Money",
  examples: [{ amount: "12.50", currency: "EUR" }]
})
export interface Money extends Schema.Schema.Type<typeof Money> {}

const fractionDigits = 6

/** An amount in millionths of its currency's unit. */
export const toMicros = (amount: string): bigint => {
  const [whole = "0", fraction = ""] = amount.split(".")
  return BigInt(whole + fraction.padEnd(fractionDigits, "0"))
}

/** The greatest amount that the contract allows, in millionths. */
export const maxMicros = 10n ** 18n - 1n

/** Orders two amounts of one currency: negative, zero or positive. */
export const compareAmounts = (a: string, b: string): number => {
  const difference = toMicros(a) - toMicros(b)
  return difference < 0n ? -1 : difference > 0n ? 1 : 0
}
