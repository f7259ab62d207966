import { assert, describe, it } from "@effect/vitest"
import { Effect } from "effect"
import { call, passed, requestId } from "./fixtures/contractOnly.ts"
import type { Call } from "./fixtures/contractOnly.ts"

const listing = "/api/listings/lst_01jd8wq0z7f3mbk5r2v6txn4ce"
const good = { title: "Translate legal texts", pricing: { model: "quote" } }

const issues = (...issues: ReadonlyArray<readonly [path: string, message: string]>) =>
  issues.map(([path, message]) => ({ path, message }))

const bad: ReadonlyArray<
  readonly [what: string, endpoint: string, call: Call, issues: ReturnType<typeof issues>]
> = [
  [
    "a missing field",
    "POST /api/listings",
    { body: { title: "Hello" } },
    issues(["payload.pricing", "is required"])
  ],
  [
    "a misspelled field",
    "POST /api/listings",
    { body: { ...good, titel: 1 } },
    issues(["payload.titel", "is unknown"])
  ],
  [
    "a misspelled field inside another",
    "POST /api/listings",
    { body: { ...good, pricing: { model: "quote", prise: 1 } } },
    issues(["payload.pricing.prise", "is unknown"])
  ],
  [
    "a bad amount",
    "POST /api/listings",
    { body: { ...good, pricing: { model: "fixed", price: { amount: "1,5", currency: "EUR" } } } },
    issues([
      "payload.pricing.price.amount",
      "must be a decimal string with at most 12 digits before the point and 6 behind it"
    ])
  ],
  [
    "fields that do not go together",
    "POST /api/listings",
    { body: { ...good, pricing: { model: "fixed" } } },
    issues(["payload.pricing.price", "is required where the model is fixed"])
  ],
  [
    "an item of a list",
    "POST /api/listings",
    { body: { ...good, tags: ["legal", "Not A Slug"] } },
    issues(["payload.tags.1", "must be lower-case letters and digits with single hyphens inside"])
  ],
  ["a body of another kind", "POST /api/listings", { body: [] }, issues(["payload", "must be an object"])],
  ["no body where one is needed", "POST /api/listings", {}, issues(["payload", "must be an object"])],
  [
    "a field where nothing is taken",
    `POST ${listing}/pause`,
    { body: { reason: "x" } },
    issues(["payload.reason", "is unknown"])
  ],
  [
    "every bad parameter at once",
    "GET /api/v1/listings?limit=0&maxPrice=1e3&tagg=x",
    {},
    issues(
      ["query.tagg", "is unknown"],
      ["query.limit", "must be an integer from 1 to 100"],
      ["query.maxPrice", "must be a decimal string with at most 12 digits before the point and 6 behind it"]
    )
  ],
  [
    "a parameter where none is taken",
    `GET ${listing.replace("/api", "/api/v1")}?fields=id`,
    {},
    issues(["query.fields", "is unknown"])
  ],
  [
    "a parameter given twice",
    "GET /api/v1/listings?limit=1&limit=2",
    {},
    issues(["query.limit", "must be a string"])
  ],
  [
    "a moment without a zone",
    "GET /api/v1/rfqs?closesBefore=2030-01-31T12:00",
    {},
    issues(["query.closesBefore", "must be an RFC 3339 date-time"])
  ],
  [
    "an event type that does not exist",
    "GET /api/v1/events?types=rfq.*,rfq.opend",
    {},
    issues([
      "query.types",
      "must be a comma-separated list of at most 50 event types such as rfq.opened or rfq.*"
    ])
  ],
  [
    "an idempotency key with a space",
    "POST /api/listings",
    { body: good, headers: { "idempotency-key": "a b" } },
    issues(["headers.idempotency-key", "must be 1 to 255 visible ASCII characters"])
  ],
  [
    "an entity tag without quotes",
    `PATCH ${listing}`,
    { body: {}, headers: { "if-match": "3" } },
    issues(["headers.if-match", "must be one ETag as the market gave it, or *"])
  ]
]

describe("a request that does not fit", () => {
  describe.each(bad)("%s", (_, endpoint, request, expected) => {
    it.effect("is 400 with its issues", () =>
      Effect.gen(function* () {
        const [first, ...more] = expected
        const suffix = more.length === 0 ? "" : ` (and ${more.length} more)`
        assert.deepStrictEqual(yield* call(endpoint, request), {
          status: 400,
          json: {
            ok: false,
            error: {
              code: "invalid_request",
              recovery: "correctable",
              message: `${first?.path} ${first?.message}${suffix}`,
              issues: expected,
              requestId
            }
          }
        })
      })
    )
  })

  it.effect("is 400 invalid_json where it is no JSON", () =>
    Effect.gen(function* () {
      for (const text of ["{", "{'a':1}", "nul", '{"a":1}x']) {
        assert.deepStrictEqual(yield* call("POST /api/listings", { text }), {
          status: 400,
          json: {
            ok: false,
            error: {
              code: "invalid_json",
              recovery: "correctable",
              message: "The body is not JSON.",
              requestId
            }
          }
        })
      }
    })
  )

  it.effect("is 404 where the id in the path cannot exist", () =>
    Effect.gen(function* () {
      const paths = [
        "listings/nonsense",
        "listings/rfq_01jd8wq0z7f3mbk5r2v6txn4ce",
        "agents/-",
        "deal-rooms/1/entries"
      ]
      for (const path of paths) {
        const { status, json } = yield* call(`GET /api/v1/${path}`)
        assert.strictEqual(status, 404)
        assert.deepNestedInclude(json, { "error.code": "not_found" })
      }
    })
  )

  it.effect("never gets back what it sent, and a bounded answer", () =>
    Effect.gen(function* () {
      const secret = "hunter2".repeat(10)
      const strays = Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`stray${index}`, secret]))
      const { status, json } = yield* call("POST /api/listings", {
        body: { ...strays, title: [secret], pricing: secret, tags: [secret.toUpperCase()] },
        headers: { "if-match": secret }
      })
      const text = JSON.stringify(json)
      assert.strictEqual(status, 400)
      assert.notInclude(text.toLowerCase(), "hunter2")
      assert.isBelow(text.length, 10_000)
    })
  )
})

describe("a request that fits", () => {
  const fits: ReadonlyArray<readonly [endpoint: string, call: Call]> = [
    ["GET /api/v1/listings", {}],
    [
      "GET /api/v1/listings?limit=100&agent=me&status=draft&pricingModel=fixed&maxPrice=10&currency=EUR&q=a%20b",
      {}
    ],
    ["GET /api/v1/rfqs?closesBefore=2030-01-31T12:00:00%2B02:00&updatedSince=2026-01-31T12:00:00Z", {}],
    ["GET /api/v1/search?q=sworn&types=listing,rfq,request,listing&tag=legal", {}],
    ["GET /api/v1/events?types=rfq.*,listing.published&mine=true&after=earliest", {}],
    ["GET /api/v1/agents/Atlas-Translations", {}],
    ["GET /api/v1/agents/agt_01jd8wq0z7f3mbk5r2v6txn4ce", {}],
    ["POST /api/listings?validateOnly=true", { body: good, headers: { "idempotency-key": "x".repeat(255) } }],
    [`PATCH ${listing}`, { body: {}, headers: { "if-match": '"3-active"' } }],
    [`PATCH ${listing}`, { body: {}, headers: { "if-match": 'W/"3"' } }],
    [`PATCH ${listing}`, { body: {}, headers: { "if-match": "*" } }],
    [`POST ${listing}/pause`, {}],
    [`POST ${listing}/pause`, { body: {} }],
    ["POST /api/listings", { body: good, headers: { "content-type": "application/json; charset=utf-8" } }]
  ]

  it.effect.each(fits)("is let through: %s", ([endpoint, request]) =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* call(endpoint, request), { status: passed, json: "" })
    })
  )
})
