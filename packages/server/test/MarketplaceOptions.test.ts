import { assert, describe, it } from "@effect/vitest"
import { MemoryStore } from "@souk/core"
import { expectTypeOf } from "vitest"
import { createMarketplace } from "../src/index.ts"
import type {
  AgentApi,
  HostApi,
  HostEvent,
  Marketplace,
  MarketplaceOptions,
  RequestOrigin
} from "../src/index.ts"

/** As hosts give options that are not written in TypeScript. */
const create = (options: object): Marketplace =>
  createMarketplace(Object.assign({ store: MemoryStore.layer }, options))

const sentenceAgainst = async (options: object): Promise<string> => {
  try {
    await create(options).close()
  } catch (error) {
    assert.instanceOf(error, TypeError)
    return error.message
  }
  return "none"
}

const works = () => {}
const settlement = { authorise: works, capture: works, refund: works, split: works }

/** Each option with what makes no sense for it, and the beginning of the sentence against it. */
const wrong: ReadonlyArray<[sentence: string, ...options: ReadonlyArray<object>]> = [
  [
    "store must be a layer, like MemoryStore.layer",
    { store: undefined },
    { store: MemoryStore },
    { store: {} },
    { store: "market.db" }
  ],
  [
    "basePath must be a path as it stands in a URL, without a slash at its end, like /market.",
    { basePath: "market" },
    { basePath: "/market/" },
    { basePath: "/" },
    { basePath: "//market" },
    { basePath: "/a market" },
    { basePath: "/a/../market" },
    { basePath: "/märkte" },
    { basePath: "/:shop/market" },
    { basePath: "/market/*" },
    { basePath: 1 }
  ],
  [
    "baseUrl must be a URL that begins with http:",
    { baseUrl: "market.example" },
    { baseUrl: "ftp://market.example" },
    { baseUrl: "https://market.example/?a" },
    { baseUrl: "https://user:password@market.example" },
    { baseUrl: new URL("https://market.example") }
  ],
  [
    "limits must be an object of options.",
    { limits: "off" },
    { limits: null },
    { limits: [] },
    { limits: new Map() }
  ],
  [
    "limits.maxBodySize is not an option. There are maxBodyBytes, maxJsonDepth, ",
    { limits: { maxBodySize: 1 } }
  ],
  [
    "limits.maxBodyBytes must be a whole number of bytes, 1 or more.",
    { limits: { maxBodyBytes: 0 } },
    { limits: { maxBodyBytes: "256" } },
    { limits: { maxBodyBytes: Number.NaN } },
    { limits: { maxBodyBytes: Infinity } },
    { limits: { maxBodyBytes: null } }
  ],
  [
    "limits.maxJsonDepth must be a whole number of levels from 1 to 1,000.",
    { limits: { maxJsonDepth: 1001 } }
  ],
  ["limits.maxJsonValues must be a whole number", { limits: { maxJsonValues: 1.5 } }],
  [
    "limits.requestTimeoutSeconds must be a number of seconds from 0.001 to 86,400.",
    { limits: { requestTimeoutSeconds: 0 } },
    { limits: { requestTimeoutSeconds: 30_000_000 } }
  ],
  [`rateLimits must be an object of options, or "off".`, { rateLimits: false }, { rateLimits: "none" }],
  ["rateLimits.reads is not an option. There are default, accounts.", { rateLimits: { reads: {} } }],
  [
    "rateLimits.default.limit must be a whole number",
    { rateLimits: { default: { limit: 0, windowSeconds: 60 } } }
  ],
  [
    "rateLimits.accounts.windowSeconds must be",
    { rateLimits: { accounts: { limit: 1, windowSeconds: 0.5 } } }
  ],
  ["rateLimits.accounts.limit must be a whole number", { rateLimits: { accounts: { windowSeconds: 60 } } }],
  [
    "trustProxy must be a whole number of proxies in front, 0 or more.",
    { trustProxy: -1 },
    { trustProxy: true }
  ],
  ["requireKeyForReads must be true or false.", { requireKeyForReads: "false" }],
  [`webhooks must be an object of options, or "off".`, { webhooks: true }, { webhooks: [] }],
  [
    "webhooks.allowHosts must hold names",
    { webhooks: { allowHosts: "localhost" } },
    { webhooks: { allowHosts: ["localhost:4000"] } },
    { webhooks: { allowHosts: ["*.internal"] } },
    { webhooks: { allowHosts: ["http://localhost"] } }
  ],
  ["webhooks.timeoutSeconds must be a number of seconds", { webhooks: { timeoutSeconds: 0 } }],
  ["webhooks.timeout is not an option", { webhooks: { timeout: 5 } }],
  [`metrics must be an object of options, or "open" or "off".`, { metrics: "closed" }, { metrics: true }],
  [
    "metrics.bearer must be a token of at least 16",
    { metrics: { bearer: "" } },
    { metrics: { bearer: "a b".repeat(9) } }
  ],
  ["metrics.bearer must be a token", { metrics: {} }, { metrics: { bearer: undefined } }],
  ["feed.bufferSize must be a whole number of events", { feed: { bufferSize: 0 } }],
  ["feed.pollEverySeconds must be a number of seconds", { feed: { pollEverySeconds: -1 } }],
  [
    `sweepEverySeconds must be a number of seconds from 0.001 to 86,400, or "off".`,
    { sweepEverySeconds: "never" }
  ],
  [`matching must be an object of options, or "off".`, { matching: 5 }],
  ["matching.everySeconds must be a number of seconds", { matching: { everySeconds: "5" } }],
  [`settlementOrders must be "off".`, { settlementOrders: false }],
  ["graceMillis must be a number of milliseconds from 0", { graceMillis: Number.NaN }, { graceMillis: -1 }],
  ["policy must be a function.", { policy: { check: works } }],
  ["moderation must be a function.", { moderation: "allowed" }],
  ["settlement must be an object with authorise, ", { settlement: "bank" }],
  ["settlement.split must be a function.", { settlement: { ...settlement, split: undefined } }],
  [
    "settlement.fundWithinSeconds must be a whole number of seconds",
    { settlement: { ...settlement, fundWithinSeconds: 0 } }
  ],
  ["rateLimitStore must be a layer", { rateLimitStore: "redis" }, { rateLimitStore: works }],
  ["retainEventsSeconds must be a number of seconds from 3,600", { retainEventsSeconds: 60 }],
  ["onEvent must be a function.", { onEvent: [] }],
  ["principal must be a function.", { principal: "user" }],
  [
    "trustedOrigins must hold origins",
    { trustedOrigins: "https://app.example" },
    { trustedOrigins: ["*"] },
    { trustedOrigins: ["https://app.example/"] },
    { trustedOrigins: ["null"] }
  ],
  ["basepath is not an option. There are store, basePath, ", { basepath: "/market" }]
]

describe("the options of createMarketplace", () => {
  it.each(wrong)("%s", async (beginning, ...options) => {
    for (const one of options)
      assert.strictEqual((await sentenceAgainst(one)).slice(0, beginning.length), beginning)
  })

  it("each have a rule", () => {
    const sentences = wrong.map(([sentence]) => sentence)
    const [, names = ""] = /There are (.*)\.$/u.exec(thrown({ nothing: 1 })) ?? []
    for (const name of names.split(", "))
      assert.isTrue(
        sentences.some((sentence) => sentence.startsWith(`${name} `) || sentence.startsWith(`${name}.`)),
        name
      )
  })

  it("may be undefined: the default then holds", async () => {
    await using market = create({
      basePath: undefined,
      feed: undefined,
      limits: { maxBodyBytes: undefined, requestTimeoutSeconds: undefined },
      rateLimits: { default: undefined },
      metrics: undefined,
      webhooks: { allowHosts: undefined }
    })
    const response = await market.fetch(
      new Request("http://market.test/api/agents", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify({ name: "a".repeat(256 * 1024) })
      })
    )
    assert.strictEqual(response.status, 413)
    assert.include(response.headers.get("ratelimit-policy") ?? "", `"default";q=600;w=60`)
  })

  it("may all be said", async () => {
    await using market = createMarketplace({
      store: MemoryStore.layer,
      basePath: "/market",
      baseUrl: "https://example.com/market",
      limits: { maxBodyBytes: 1024, maxJsonDepth: 8, maxJsonValues: 100, requestTimeoutSeconds: 0.5 },
      rateLimits: { default: { limit: 10, windowSeconds: 1 } },
      trustProxy: 2,
      requireKeyForReads: true,
      webhooks: { allowHosts: ["localhost", "hooks.internal", "10.0.0.1"], timeoutSeconds: 5 },
      metrics: { bearer: "0123456789abcdef" },
      feed: { bufferSize: 16, pollEverySeconds: 5 },
      sweepEverySeconds: "off",
      matching: "off",
      settlementOrders: "off",
      graceMillis: 0,
      policy: () => ({ outcome: "allowed" }),
      moderation: () => ({ outcome: "allowed" }),
      settlement: new Bank(),
      onEvent: works,
      principal: (_, host: { readonly user: string }) => host.user,
      trustedOrigins: ["https://app.example.com", "http://localhost:3000"]
    })
    await market.ready()
  })
})

/** As one writes it, with fields of its own. */
class Bank {
  readonly account = "DE00"
  authorise() {
    return { outcome: "authorised" } as const
  }
  capture() {}
  refund() {}
  split() {}
}

const thrown = (options: object): string => {
  try {
    create(options)
  } catch (error) {
    return String(error)
  }
  return "none"
}

describe("the types of createMarketplace", () => {
  it("are named, one by one", () => {
    expectTypeOf(createMarketplace).parameters.toEqualTypeOf<[MarketplaceOptions]>()
    expectTypeOf(createMarketplace).returns.toEqualTypeOf<Marketplace>()
    expectTypeOf<Marketplace["fetch"]>().toEqualTypeOf<
      (request: Request, origin?: RequestOrigin) => Promise<Response>
    >()
    expectTypeOf<Marketplace["api"]>().toEqualTypeOf<HostApi>()
    expectTypeOf<HostApi["as"]>().toEqualTypeOf<(agentId: string) => AgentApi>()
    expectTypeOf<ReturnType<HostApi["operator"]["events"]>>().toEqualTypeOf<AsyncIterable<HostEvent>>()
    expectTypeOf<Marketplace["migrate"]>().returns.resolves.toEqualTypeOf<ReadonlyArray<string>>()
    expectTypeOf<Marketplace>().toExtend<AsyncDisposable>()
  })

  it("are those of the wire, and of the contract", () => {
    type Listings = AgentApi["listings"]
    expectTypeOf<Listings["publish"]>().parameter(0).toHaveProperty("title").toEqualTypeOf<string>()
    expectTypeOf<Listings["publish"]>().parameter(1).exclude<undefined>().not.toHaveProperty("ifMatch")
    expectTypeOf<Listings["update"]>().parameter(2).exclude<undefined>().toHaveProperty("ifMatch")
    expectTypeOf<Awaited<ReturnType<Listings["get"]>>["listing"]["createdAt"]>().toEqualTypeOf<string>()
    expectTypeOf<AgentApi["search"]>().returns.toExtend<AsyncIterable<{ readonly type: string }>>()
  })
})
