/** Values at the edge of what the contract admits: what a store can lose first. */
import { born, type Terms } from "@souk/core"
import { DateTime } from "effect"
import type { Schema } from "effect"
import { moment } from "../fixtures.ts"

/** Letters of several planes, combining and invisible ones, and all that a query language would stumble over. */
export const text =
  "Ünïcödé e\u0301 漢字 עברית 🚀 👩\u200d💻 \u2028\ufffd \"quoted\" 'single' back\\slash\t\r\n; %_ $1 ${x} ?? -- /* */ null"

/** A document near the limit of 16 KiB with every kind of JSON value. */
export const document: Schema.JsonObject = {
  "": "empty key",
  "1": "numeric key",
  "ключ 🔑": text,
  numbers: [0, -1, 0.1, 1e-7, 1.5e300, 9_007_199_254_740_991, -273.15, 4.35],
  literals: [true, false, null, "", "true", "null", [], {}, [[]]],
  nested: { a: { b: { c: [{ d: [1, [2, [3]]] }] } } },
  large: Array.from({ length: 300 }, (_, i) => `${i}: ${"x".repeat(30)}`)
}

/** Years apart, to the millisecond. */
export const instants = {
  first: DateTime.makeUnsafe("1970-01-01T00:00:00.000Z"),
  early: DateTime.makeUnsafe("1999-12-31T23:59:59.999Z"),
  leap: DateTime.makeUnsafe("2028-02-29T00:00:00.001Z"),
  last: DateTime.makeUnsafe("9999-12-31T23:59:59.999Z")
}

export const stamps = { ...born(instants.leap), updatedAt: moment(0.123), version: 1 }
export const greatest = { amount: "999999999999.999999", currency: "USDCTOKEN123" }

export const terms: Terms = {
  lines: [
    { description: text, quantity: 3, unit: "page", unitPrice: { amount: "0.000001", currency: "EUR" } },
    { description: "Rush", quantity: 1, unitPrice: { amount: "10.10", currency: "EUR" } }
  ],
  total: { amount: "10.100003", currency: "EUR" },
  deliverWithinSeconds: 31_622_400,
  revisions: 20,
  acceptance: [text, "b", "a"],
  notes: text,
  custom: document
}
