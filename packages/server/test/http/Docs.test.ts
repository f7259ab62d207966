import { assert, describe, it } from "@effect/vitest"
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServer } from "effect/http"
import { OpenApi } from "effect/http-api"
import { createHash } from "node:crypto"
import * as Docs from "../../src/http/Docs.ts"
import { ToyApi } from "./toyMarket.ts"

const evil = '</style><script>alert("x")</script><img src=x onerror=alert(1)>'
const document = {
  openapi: "3.1.0",
  info: { title: `Souk ${evil}`, version: "1", description: "First.\n\nSecond with `code`." },
  servers: [{ url: "https://market.test/" }],
  security: [{ key: [] }],
  tags: [{ name: "Listings", description: evil }],
  paths: {
    "/api/listings": {
      post: {
        tags: ["Listings"],
        operationId: "createListing",
        summary: "Publish",
        parameters: [
          { name: "validateOnly", in: "query", schema: { type: "boolean" }, description: "Check only." }
        ],
        requestBody: {
          content: {
            "application/json": {
              schema: { $ref: "#/components/schemas/Listing" },
              example: { title: "it's a lamp" }
            }
          }
        },
        responses: {
          "201": {
            description: "Made.",
            content: { "application/json": { schema: { $ref: "#/components/schemas/Listing" } } }
          },
          "400": { description: "Refused." }
        }
      },
      get: { operationId: "list", security: [], responses: {} }
    }
  },
  components: {
    schemas: {
      Listing: {
        type: "object",
        required: ["title"],
        properties: {
          title: { type: "string", description: evil, examples: ["A lamp"] },
          related: { type: "array", items: { $ref: "#/components/schemas/Listing" } },
          status: { enum: ["draft", "active"] }
        }
      }
    }
  }
}

describe("the docs page", () => {
  const page = Docs.docsPage(document)

  it("shows each operation with its parameters, bodies, responses and a curl line", () => {
    for (const text of [
      'id="op-createListing"',
      "validateOnly",
      "Check only.",
      'array of <a href="#schema-Listing">Listing</a>',
      "&quot;draft&quot; or &quot;active&quot;",
      "<code>code</code>",
      "201</b> Made.",
      "needs a key",
      "curl -X POST &quot;https://market.test/api/listings&quot;",
      "X-AGENT-KEY: $SOUK_KEY"
    ]) {
      assert.include(page, text)
    }
  })

  it("quotes examples for the shell", () => {
    assert.include(page, "it&#39;\\&#39;&#39;s a lamp")
  })

  it("escapes every text of the document", () => {
    assert.notInclude(page, "<script")
    assert.notInclude(page, "<img")
  })

  it("asks for nothing from anywhere", () => {
    assert.notMatch(page, /<(?:script|link|img|iframe)|@import|url\(|<[^>]*\s(?:on\w+|style|src)=/u)
  })

  it("survives a document without anything", () => {
    assert.include(Docs.docsPage({}), "<h1>")
  })

  it.effect("is served under a policy that allows its style by hash and nothing else", () =>
    Effect.gen(function* () {
      const app = Docs.layer(Effect.succeed(OpenApi.fromApi(ToyApi))).pipe(
        Layer.provide(HttpServer.layerServices)
      )
      const { handler, dispose } = HttpRouter.toWebHandler(app, { disableLogger: true })
      yield* Effect.addFinalizer(() => Effect.promise(dispose))
      const response = yield* Effect.promise(() => handler(new Request("http://market.test/docs")))
      const html = yield* Effect.promise(() => response.text())
      const style = /<style>([^]*?)<\/style>/u.exec(html)?.[1] ?? ""
      const hash = createHash("sha256").update(style).digest("base64")
      assert.match(response.headers.get("content-type") ?? "", /^text\/html/u)
      assert.include(response.headers.get("content-security-policy") ?? "", "default-src 'none'")
      assert.include(response.headers.get("content-security-policy") ?? "", `style-src 'sha256-${hash}'`)
      assert.include(html, "/api/v1/things/{id}")
    })
  )
})
