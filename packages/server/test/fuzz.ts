/** What property tests throw at the market: requests made from the contract's own schemas, and ways to spoil them. */
import { SoukApi } from "@souk/api"
import { Arbitrary, Effect } from "effect"
import type { Schema } from "effect"
import { HttpApi } from "effect/http-api"
import fc from "fast-check"
import { fieldsOf, inHours } from "./market.ts"

/** Makes a value of a part of a request, as JSON; the same for the same seed. */
type Part = (seed: number) => unknown

/** An endpoint of the contract with what fits the parts of its requests. */
interface Endpoint {
  readonly method: string
  readonly path: string
  readonly params: Part
  readonly query: Part
  readonly headers: Part
  readonly payloads: ReadonlyArray<Part>
}

const partOf = (schema: Schema.Top): Part => {
  const arbitrary = Arbitrary.schema(schema)
  return (seed) => {
    const options = { count: 1, seed, size: seed % 6, maxDiscards: 1000 }
    // Of what hardly comes about by chance, such as lines with the right total, there is none for some seeds.
    const sample = Effect.orElseSucceed(Arbitrary.sampleEffect(arbitrary, options), () => [])
    const [value] = Effect.runSync(sample)
    return value === undefined ? undefined : JSON.parse(JSON.stringify(value))
  }
}

const nothing: Part = () => ({})

const found = new Map<string, Endpoint>()
HttpApi.reflect(SoukApi, {
  onGroup: () => {},
  onEndpoint: ({ group, endpoint: { identifier, method, path, params, query, headers, payload } }) =>
    found.set(`${group.identifier}.${identifier}`, {
      method,
      path,
      params: params === undefined ? nothing : partOf(params),
      query: query === undefined ? nothing : partOf(query),
      headers: headers === undefined ? nothing : partOf(headers),
      payloads: [...payload.values()].flatMap(({ schemas }) => schemas.map((schema) => partOf(schema)))
    })
})

/** Every endpoint of the contract by its operation id. */
const endpoints: ReadonlyMap<string, Endpoint> = found

/** A request before it is put together: what varies, in numbers that a test can be run again with. */
export interface Plan {
  readonly operationId: string
  readonly seed: number
  /** Which of the known ids stand in for those that the schemas made up. */
  readonly picks: ReadonlyArray<number>
  readonly caller: number
}

export const plan: fc.Arbitrary<Plan> = fc.record({
  operationId: fc.constantFrom(...endpoints.keys()),
  seed: fc.nat(),
  picks: fc.array(fc.nat(), { minLength: 4, maxLength: 4 }),
  caller: fc.nat({ max: 9 })
})

/** The words of the market that an attacker can know: ids, digests, cursors and tags that replies have shown. */
export class Vocabulary {
  readonly #words = new Map<string, Array<string>>()

  /** Learns from a reply; of each kind the latest words are kept. */
  learn(text: string): void {
    for (const [word, prefix = "digest"] of text.matchAll(
      /\b(agt|lst|req|rfq|que|quo|room|off|whk|tsk)_[0-9a-z]{26}\b|sha256:[0-9a-f]{64}/gu
    )) {
      const known = this.#words.get(prefix) ?? []
      if (!known.includes(word)) this.#words.set(prefix, [...known.slice(-11), word])
    }
  }

  /** Puts known words into the places of those of the same kind that were made up. */
  substitute(value: unknown, picks: ReadonlyArray<number>): unknown {
    let next = 0
    const pick = (kind: string, otherwise: string) => {
      const known = this.#words.get(kind) ?? []
      const number = picks[next++ % picks.length] ?? 0
      return number % 8 === 0 ? otherwise : (known[number % Math.max(1, known.length)] ?? otherwise)
    }
    const inside = (value: unknown): unknown => {
      if (typeof value === "string") {
        if (/^\+?\d{4,6}-\d\d-\d\dT/u.test(value)) return inHours(1 + ((picks[0] ?? 0) % 200))
        if (value.startsWith("sha256:")) return pick("digest", value)
        const prefix = /^([a-z]{3,4})_[0-9a-z]{26}$/u.exec(value)?.[1]
        return prefix === undefined ? value : pick(prefix, value)
      }
      if (Array.isArray(value)) return value.map(inside)
      if (typeof value !== "object" || value === null) return value
      return Object.fromEntries(fieldsOf(value).map(([name, field]) => [name, inside(field)]))
    }
    return inside(value)
  }
}

const toText = (value: unknown): string =>
  Array.isArray(value) ? value.join(",") : typeof value === "string" ? value : JSON.stringify(value)

/** What HTTP can carry in a header of a text. */
const toHeader = (text: string): string => text.replaceAll(/[^\t\x20-\x7e\x80-\xff]/gu, "?")

/** A request in the parts that it is sent in. */
export interface Draft {
  readonly method: string
  readonly path: string
  readonly query: ReadonlyArray<readonly [name: string, value: string]>
  readonly headers: Record<string, string>
  readonly body: unknown
  /** Sent instead of the body. */
  readonly raw?: string | Uint8Array<ArrayBuffer>
}

/** Puts a request together that fits the schemas. */
export const draftOf = ({ operationId, seed, picks }: Plan, vocabulary: Vocabulary): Draft => {
  const endpoint = endpoints.get(operationId)
  if (endpoint === undefined) throw new Error(`There is no ${operationId}`)
  const part = (make: Part) => fieldsOf(vocabulary.substitute(make(seed), picks))
  const params = new Map(part(endpoint.params))
  const payload = endpoint.payloads[seed % Math.max(1, endpoint.payloads.length)]
  return {
    method: endpoint.method,
    path: endpoint.path.replaceAll(/:(\w+)/gu, (_, name: string) =>
      encodeURIComponent(toText(params.get(name)))
    ),
    query: part(endpoint.query).map(([name, value]) => [name, toText(value)]),
    headers: Object.fromEntries(
      part(endpoint.headers).map(([name, value]) => [
        name,
        toHeader(name === "if-match" ? `"${toText(value)}"` : toText(value))
      ])
    ),
    body: payload === undefined ? undefined : vocabulary.substitute(payload(seed), picks)
  }
}

/** The path and the query of a request. */
export const targetOf = ({ path, query }: Draft): string =>
  query.length === 0
    ? path
    : `${path}?${new URLSearchParams(query.map(([name, value]): [string, string] => [name, value]))}`

// -----------------------------------------------------------------------------
// Spoiling
// -----------------------------------------------------------------------------

/** Makes a request worse. */
export type Spoil = (draft: Draft) => Draft

/** JSON values that trip up those who did not expect them. */
const nasty: ReadonlyArray<unknown> = [
  null,
  true,
  -1,
  0.5,
  1e308,
  2 ** 53,
  "",
  " ",
  "\u0000",
  "\ud800",
  "ﷺ".repeat(130),
  [],
  {},
  [[]],
  { __proto__: null, toString: 1, constructor: { prototype: {} } },
  JSON.parse('{"__proto__":{"polluted":true}}'),
  "agt_01jd8wq0z7f3mbk5r2v6txn4ce",
  "2030-02-30T00:00:00Z",
  "9999999999999999999999.9999999"
]

const anything = fc.oneof(fc.constantFrom(...nasty), fc.jsonValue({ maxDepth: 4 }))

/** Puts a value into the place of one of those inside another; `depth` and `turn` say which. */
const graft = (value: unknown, path: ReadonlyArray<number>, graft_: (inner: unknown) => unknown): unknown => {
  const [turn, ...deeper] = path
  const fields = fieldsOf(value)
  const chosen = turn === undefined || fields.length === 0 ? undefined : fields[turn % fields.length]
  if (chosen === undefined) return graft_(value)
  const [name, inner] = chosen
  const grown = graft(inner, deeper, graft_)
  return Array.isArray(value)
    ? value.map((item, index) => (`${index}` === name ? grown : item))
    : Object.fromEntries(fields.map(([key, field]) => [key, key === name ? grown : field]))
}

const places = fc.array(fc.nat({ max: 20 }), { maxLength: 4 })
const words = fc.oneof(
  fc.string({ unit: "binary", maxLength: 40 }),
  fc.constantFrom("__proto__", "constructor", "toString", "", "%00", "../..", "null", "-1", "1e9", "[]")
)

const spoilBody: ReadonlyArray<fc.Arbitrary<Spoil>> = [
  fc.tuple(places, anything).map(([place, value]): Spoil => (draft) => ({
    ...draft,
    body: graft(draft.body, place, () => value)
  })),
  fc.tuple(places, words, anything).map(([place, name, value]): Spoil => (draft) => ({
    ...draft,
    body: graft(draft.body, place, (inner) => Object.fromEntries([...fieldsOf(inner), [name, value]]))
  })),
  fc.tuple(places, fc.nat()).map(([place, turn]): Spoil => (draft) => ({
    ...draft,
    body: graft(draft.body, place.slice(1), (inner) =>
      Object.fromEntries(fieldsOf(inner).filter((_, index, all) => index !== turn % all.length))
    )
  })),
  anything.map((body): Spoil => (draft) => ({ ...draft, body }))
]

const spoilText: ReadonlyArray<fc.Arbitrary<Spoil>> = [
  fc.nat().map((length): Spoil => (draft) => {
    const text = JSON.stringify(draft.body) ?? ""
    return { ...draft, raw: text.slice(0, length % (text.length + 1)) }
  }),
  fc.uint8Array({ maxLength: 60 }).map((raw): Spoil => (draft) => ({ ...draft, raw: new Uint8Array(raw) })),
  fc.constantFrom("[", '{"a":', "1", '{"a":"').map((piece): Spoil => (draft) => ({
    ...draft,
    raw: piece.repeat(2000)
  })),
  fc
    .constantFrom("\ufeff{}", '{"a":1e999}', '{"a":1,"a":2}', "NaN", "//{}", "{}{}", "x".repeat(270_000))
    .map((raw): Spoil => (draft) => ({ ...draft, raw }))
]

const headerNames = [
  "accept",
  "authorization",
  "content-encoding",
  "content-type",
  "cookie",
  "expect",
  "idempotency-key",
  "if-match",
  "if-none-match",
  "last-event-id",
  "origin",
  "range",
  "request-id",
  "x-forwarded-for",
  "x-http-method-override"
]

const spoilRest: ReadonlyArray<fc.Arbitrary<Spoil>> = [
  fc.tuple(fc.constantFrom(...headerNames), words).map(([name, value]): Spoil => (draft) => ({
    ...draft,
    headers: { ...draft.headers, [name]: toHeader(value) }
  })),
  fc.tuple(words, words).map(([name, value]): Spoil => (draft) => ({
    ...draft,
    query: [...draft.query, [name.toWellFormed(), value.toWellFormed()]]
  })),
  fc
    .tuple(
      fc.constantFrom("limit", "cursor", "q", "types", "agent", "maxPrice", "after", "validateOnly", "tag"),
      words
    )
    .map(([name, value]): Spoil => (draft) => ({
      ...draft,
      query: [...draft.query, [name, value.toWellFormed()]]
    })),
  fc.tuple(fc.nat({ max: 8 }), words).map(([place, word]): Spoil => (draft) => ({
    ...draft,
    path: draft.path
      .split("/")
      .map((segment, index) => (index === place + 1 ? encodeURIComponent(word.toWellFormed()) : segment))
      .join("/")
  })),
  fc
    .constantFrom("/", "//", "/%", "/%2e%2e", "/%ff", "?", "/../../livez", "/x")
    .map((end): Spoil => (draft) => ({ ...draft, path: draft.path + end })),
  fc
    .constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS", "QUERY")
    .map((method): Spoil => (draft) => ({ ...draft, method }))
]

/** One or two ways to spoil a request. */
export const spoils: fc.Arbitrary<ReadonlyArray<Spoil>> = fc.array(
  fc.oneof(...spoilBody, ...spoilText, ...spoilRest),
  { minLength: 1, maxLength: 2 }
)

/** A request that knows nothing of the contract. */
export const garbage: fc.Arbitrary<Draft> = fc.record({
  method: fc.constantFrom("GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"),
  path: fc
    .array(
      fc.oneof(fc.constantFrom("api", "v1", "listings", "me", "docs", "livez", ".well-known", "%"), words),
      { maxLength: 6 }
    )
    .map((segments) => `/${segments.map((segment) => encodeURIComponent(segment.toWellFormed())).join("/")}`),
  query: fc.array(
    fc
      .tuple(words, words)
      .map(([name, value]): readonly [string, string] => [name.toWellFormed(), value.toWellFormed()]),
    { maxLength: 3 }
  ),
  headers: fc.dictionary(fc.constantFrom(...headerNames), words.map(toHeader), { maxKeys: 4 }),
  body: anything
})
