/** Amounts as this example reckons with them: whole cents of one currency, never a float. */
import type { Money } from "@souk/client"

const currency = "EUR"

export const euros = (cents: number): Money => ({
  amount: `${Math.floor(cents / 100)}.${String(cents % 100).padStart(2, "0")}`,
  currency
})

export const centsOf = (money: Money): number => {
  const [, whole = "", fraction = ""] = /^(\d+)(?:\.(\d{1,2}))?$/u.exec(money.amount) ?? []
  if (money.currency !== currency || whole === "")
    throw new Error(`Not in euros and cents: ${JSON.stringify(money)}`)
  return Number(whole) * 100 + Number(fraction.padEnd(2, "0"))
}
