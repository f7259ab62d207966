import { assert, describe, it } from "@effect/vitest"
import { Validator } from "@seriousme/openapi-schema-validator"
import { Effect } from "effect"
import { openApiDocument } from "../src/index.ts"
import type { Operation, Response } from "../src/openapi/Document.ts"
import { call, passed } from "./fixtures/contractOnly.ts"

const document = openApiDocument({ serverUrl: "https://market.example/souk" })

/** Contract §5, as far as it is built: the operation, and whether it reads a key: needs, welcomes, ignores. */
const contract: ReadonlyArray<
  readonly [endpoint: string, operationId: string, key: "needs" | "welcomes" | "ignores"]
> = [
  ["post /api/agents", "agents.register", "ignores"],
  ["get /api/v1/agents", "agents.list", "welcomes"],
  ["get /api/v1/agents/{idOrHandle}", "agents.get", "welcomes"],
  ["get /api/v1/agents/{idOrHandle}/reviews", "agents.reviews", "welcomes"],
  ["get /api/v1/me", "agents.me", "needs"],
  ["patch /api/me", "agents.updateMe", "needs"],
  ["post /api/me/close", "agents.closeMe", "needs"],
  ["get /api/v1/me/keys", "keys.list", "needs"],
  ["post /api/me/keys", "keys.create", "needs"],
  ["post /api/me/keys/{id}/rotate", "keys.rotate", "needs"],
  ["delete /api/me/keys/{id}", "keys.revoke", "needs"],
  ["get /api/v1/me/inbox", "inbox.list", "needs"],
  ["get /api/v1/listings", "listings.list", "welcomes"],
  ["get /api/v1/listings/{id}", "listings.get", "welcomes"],
  ["post /api/listings", "listings.publish", "needs"],
  ["patch /api/listings/{id}", "listings.update", "needs"],
  ["post /api/listings/{id}/activate", "listings.activate", "needs"],
  ["post /api/listings/{id}/pause", "listings.pause", "needs"],
  ["post /api/listings/{id}/archive", "listings.archive", "needs"],
  ["get /api/v1/requests", "requests.list", "welcomes"],
  ["get /api/v1/requests/{id}", "requests.get", "welcomes"],
  ["post /api/requests", "requests.open", "needs"],
  ["patch /api/requests/{id}", "requests.update", "needs"],
  ["post /api/requests/{id}/fulfil", "requests.fulfil", "needs"],
  ["post /api/requests/{id}/cancel", "requests.cancel", "needs"],
  ["get /api/v1/rfqs", "rfqs.list", "welcomes"],
  ["get /api/v1/rfqs/{id}", "rfqs.get", "welcomes"],
  ["post /api/rfqs", "rfqs.create", "needs"],
  ["patch /api/rfqs/{id}", "rfqs.update", "needs"],
  ["post /api/rfqs/{id}/open", "rfqs.open", "needs"],
  ["post /api/rfqs/{id}/close", "rfqs.close", "needs"],
  ["post /api/rfqs/{id}/cancel", "rfqs.cancel", "needs"],
  ["post /api/rfqs/{id}/award", "rfqs.award", "needs"],
  ["post /api/rfqs/{id}/unsuccessful", "rfqs.markUnsuccessful", "needs"],
  ["post /api/rfqs/{id}/questions", "rfqs.ask", "needs"],
  ["post /api/rfqs/{id}/questions/{qid}/answer", "rfqs.answer", "needs"],
  ["get /api/v1/rfqs/{id}/quotes", "quotes.listOfRfq", "needs"],
  ["post /api/rfqs/{id}/quotes", "quotes.submit", "needs"],
  ["get /api/v1/quotes/{id}", "quotes.get", "needs"],
  ["get /api/v1/me/quotes", "quotes.listMine", "needs"],
  ["post /api/quotes/{id}/revise", "quotes.revise", "needs"],
  ["post /api/quotes/{id}/withdraw", "quotes.withdraw", "needs"],
  ["post /api/quotes/{id}/decline", "quotes.decline", "needs"],
  ["get /api/v1/matches", "matches.list", "needs"],
  ["post /api/matches/{id}/dismiss", "matches.dismiss", "needs"],
  ["get /api/v1/deal-rooms", "dealRooms.list", "needs"],
  ["get /api/v1/deal-rooms/{id}", "dealRooms.get", "needs"],
  ["get /api/v1/deal-rooms/{id}/entries", "dealRooms.entries", "needs"],
  ["post /api/deal-rooms", "dealRooms.start", "needs"],
  ["post /api/deal-rooms/{id}/messages", "dealRooms.sendMessage", "needs"],
  ["post /api/deal-rooms/{id}/offers", "dealRooms.makeOffer", "needs"],
  ["post /api/deal-rooms/{id}/offers/{offerId}/accept", "dealRooms.acceptOffer", "needs"],
  ["post /api/deal-rooms/{id}/offers/{offerId}/reject", "dealRooms.rejectOffer", "needs"],
  ["post /api/deal-rooms/{id}/offers/{offerId}/withdraw", "dealRooms.withdrawOffer", "needs"],
  ["post /api/deal-rooms/{id}/decline", "dealRooms.decline", "needs"],
  ["post /api/deal-rooms/{id}/deliver", "dealRooms.deliver", "needs"],
  ["post /api/deal-rooms/{id}/complete", "dealRooms.complete", "needs"],
  ["post /api/deal-rooms/{id}/request-changes", "dealRooms.requestChanges", "needs"],
  ["post /api/deal-rooms/{id}/cancel", "dealRooms.cancel", "needs"],
  ["post /api/deal-rooms/{id}/dispute", "dealRooms.dispute", "needs"],
  ["post /api/deal-rooms/{id}/reviews", "dealRooms.review", "needs"],
  ["get /api/v1/search", "search.search", "welcomes"],
  ["get /api/v1/events", "events.subscribe", "welcomes"],
  ["get /api/v1/webhooks", "webhooks.list", "needs"],
  ["post /api/webhooks", "webhooks.create", "needs"],
  ["post /api/webhooks/{id}/rotate", "webhooks.rotate", "needs"],
  ["post /api/webhooks/{id}/enable", "webhooks.enable", "needs"],
  ["delete /api/webhooks/{id}", "webhooks.remove", "needs"],
  ["get /api/v1/webhooks/{id}/deliveries", "webhooks.deliveries", "needs"],
  ["post /api/webhooks/{id}/deliveries/{did}/replay", "webhooks.replay", "needs"],
  ["get /livez", "system.live", "ignores"],
  ["get /readyz", "system.ready", "ignores"]
]

const operations = new Map(
  Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, operation]): [string, Operation] => [`${method} ${path}`, operation])
  )
)

const operationOf = (endpoint: string): Operation => {
  const operation = operations.get(endpoint)
  if (operation === undefined) throw new Error(`The document lacks ${endpoint}`)
  return operation
}

const responseOf = (operation: Operation, status: number): Response => {
  const response = operation.responses[status]
  if (response === undefined) throw new Error(`${operation.operationId} lacks ${status}`)
  if (!("$ref" in response)) return response
  const shared = document.components.responses[response.$ref.replace("#/components/responses/", "")]
  if (shared === undefined) throw new Error(`Nothing at ${response.$ref}`)
  return shared
}

/** A path of an operation with ids in the places of its parameters. */
const fill = (path: string): string => {
  const [, , resource] = path.replace("/v1", "").split("/")
  const prefixes: { readonly [resource: string]: string } = {
    agents: "agt",
    me: "key",
    listings: "lst",
    requests: "req",
    rfqs: "rfq",
    quotes: "quo",
    matches: "mat",
    "deal-rooms": "room",
    webhooks: "whk"
  }
  const id = (prefix: string) => `${prefix}_01jd8wq0z7f3mbk5r2v6txn4ce`
  return path
    .replace("{offerId}", id("off"))
    .replace("{qid}", id("que"))
    .replace("{did}", id("tsk"))
    .replace(/\{id(OrHandle)?\}/u, id(prefixes[resource ?? ""] ?? ""))
}

/** Every object inside a JSON value. */
const objectsIn = (value: unknown): ReadonlyArray<object> =>
  typeof value === "object" && value !== null
    ? [...(Array.isArray(value) ? [] : [value]), ...Object.values(value).flatMap(objectsIn)]
    : []

describe("the OpenAPI document", () => {
  it.effect("is valid OpenAPI 3.1 to an independent validator", () =>
    Effect.gen(function* () {
      const json: object = JSON.parse(JSON.stringify(document))
      const result = yield* Effect.promise(() => new Validator().validate({ ...json }))
      assert.deepStrictEqual(result.errors, undefined)
      assert.isTrue(result.valid)
    })
  )

  it("describes every endpoint of the contract, and no other", () => {
    const described = [...operations].map(([endpoint, { operationId }]) => `${endpoint} ${operationId}`)
    const wanted = contract.map(([endpoint, operationId]) => `${endpoint} ${operationId}`)
    assert.deepStrictEqual(described.toSorted(), wanted.toSorted())
  })

  it("resolves every reference that it makes", () => {
    for (const object of objectsIn(document)) {
      if (!("$ref" in object) || typeof object.$ref !== "string") continue
      const target = object.$ref
        .slice(2)
        .split("/")
        .reduce<unknown>(
          (node, key) => (typeof node === "object" && node !== null ? Reflect.get(node, key) : undefined),
          document
        )
      assert.isDefined(target, object.$ref)
    }
  })

  it("names no component that it does not use, but for what any path can answer", () => {
    const text = JSON.stringify(document)
    const unused = Object.keys(document.components.schemas).filter(
      (name) => !text.includes(`"#/components/schemas/${name}"`)
    )
    assert.deepStrictEqual(unused, ["MethodNotAllowed", "StreamPosition"])
  })

  it("says where the market is and under which licence it stands", () => {
    assert.deepStrictEqual(document.servers, [{ url: "https://market.example/souk" }])
    assert.deepStrictEqual(openApiDocument().servers, [{ url: "/" }])
    assert.strictEqual(openApiDocument({ version: "7.1.0" }).info.version, "7.1.0")
    assert.strictEqual(document.info.license.identifier, "MIT")
  })

  describe.each(contract)("%s", (endpoint, _, key) => {
    const operation = operationOf(endpoint)
    const isSystem = operation.tags.includes("system")

    it("has a summary, a description and a described tag", () => {
      assert.isNotEmpty(operation.summary)
      assert.match(operation.description, /\.$/u)
      const [tag] = operation.tags
      assert.isNotEmpty(document.tags.find(({ name }) => name === tag)?.description ?? "")
    })

    it("describes each parameter", () => {
      for (const parameter of operation.parameters) {
        assert.match(parameter.description, /\.$/u, parameter.name)
        assert.notDeepEqual(parameter.schema, {}, parameter.name)
      }
    })

    it(`${key} a key`, () => {
      const security = { needs: [{ AgentKey: [] }], welcomes: [{}, { AgentKey: [] }], ignores: [] }
      assert.deepStrictEqual(operation.security, security[key])
    })

    it("documents what every call can be answered", () => {
      if (isSystem) return
      const isWrite = !endpoint.startsWith("get")
      const statuses = [
        400,
        ...(key === "ignores" ? [] : [401]),
        ...(isWrite ? [409, 413, 415, 422] : []),
        429,
        500,
        503
      ]
      for (const status of statuses) {
        const response = responseOf(operation, status)
        assert.match(response.description, /`[a-z_]+`/u, String(status))
        assert.isDefined(response.content?.["application/json"], String(status))
        assert.property(response.headers, "Request-Id")
      }
      assert.property(responseOf(operation, 429).headers, "Retry-After")
    })

    it("answers an entity with its tag, a new one with its place", () => {
      const created = operation.responses["201"]
      if (created !== undefined) assert.property(responseOf(operation, 201).headers, "Location")
      const isEntity =
        !endpoint.startsWith("get") || operation.parameters.some(({ name }) => name === "If-None-Match")
      if (isEntity) assert.property(responseOf(operation, 200).headers, "ETag")
    })
  })

  it("shows integers and booleans of a query as such", () => {
    for (const operation of operations.values())
      for (const { name, schema } of operation.parameters) {
        if (name === "limit") assert.strictEqual(schema["type"], "integer")
        if (name === "validateOnly" || name === "mine") assert.strictEqual(schema["type"], "boolean")
      }
  })

  it("keeps what is sent closed and what is answered open", () => {
    assert.strictEqual(document.components.schemas["ListingInput"]?.["additionalProperties"], false)
    assert.notProperty(document.components.schemas["Listing"], "additionalProperties")
    assert.notProperty(document.components.schemas["NotFound"], "additionalProperties")
  })

  it("shows the event stream as a stream and as a page", () => {
    const { content = {} } = responseOf(operationOf("get /api/v1/events"), 200)
    assert.sameMembers(Object.keys(content), ["text/event-stream", "application/json"])
  })

  it("carries nothing that only Effect understands", () => {
    assert.notMatch(JSON.stringify(document), /x-effect|9007199254740991/u)
  })
})

describe("the examples of bodies", () => {
  for (const [endpoint, operation] of operations) {
    const { requestBody } = operation
    if (requestBody === undefined) continue
    const examples = Object.entries(requestBody.content["application/json"]?.examples ?? {})

    it(`are there for ${operation.operationId}`, () => assert.isNotEmpty(examples))

    for (const [name, { value }] of examples)
      it.effect(`are accepted by ${operation.operationId}: ${name}`, () =>
        Effect.gen(function* () {
          const reply = yield* call(fill(endpoint), { body: value })
          assert.deepStrictEqual(reply, { status: passed, json: "" })
        })
      )

    it.effect(`can ${requestBody.required ? "not " : ""}be left out by ${operation.operationId}`, () =>
      Effect.gen(function* () {
        const reply = yield* call(fill(endpoint))
        assert.strictEqual(reply.status, requestBody.required ? 400 : passed)
      })
    )
  }
})
