/** The client and the contract: what one has, the other has. */
import { openApiDocument } from "@souk/api"
import { assert, describe, it } from "@effect/vitest"
import { readFileSync } from "node:fs"
import { join } from "node:path"
import { folder, render } from "../scripts/write-operations.ts"
import { Souk } from "../src/index.ts"

/** Every operation of the document as `POST /api/agents`, by its id; the probes are for operators, not for agents. */
const documented = new Map(
  Object.entries(openApiDocument().paths).flatMap(([path, item]) =>
    Object.entries(item)
      .filter(([, { operationId }]) => !operationId.startsWith("system."))
      .map(([method, { operationId }]): [string, string] => [operationId, `${method.toUpperCase()} ${path}`])
  )
)

describe("the operations of the client", () => {
  it("are written from the contract: `npm run generate -w @souk/client`", () => {
    for (const [file, text] of Object.entries(render()))
      assert.strictEqual(readFileSync(join(folder, file), "utf8"), text, file)
  })

  it("are those of the OpenAPI document, at its methods and paths", async () => {
    const sent: Array<string> = []
    const souk = new Souk({
      baseUrl: "http://market.test",
      maxAttempts: 1,
      fetch: (url, init) => {
        sent.push(`${init.method} ${new URL(url).pathname}`)
        return Promise.resolve(Response.json({ ok: true, data: {} }))
      }
    })
    assert.isAbove(documented.size, 50)
    for (const [operationId, endpoint] of documented) {
      const [group = "", name = ""] = operationId.split(".")
      const namespace: unknown =
        operationId === "events.subscribe" ? souk.events.page : Reflect.get(souk, group)
      const found: unknown = Reflect.get(Object(namespace), name) ?? namespace
      if (typeof found !== "function") return assert.fail(`souk.${operationId} is no function`)
      const ids = [...endpoint.matchAll(/\{(\w+)\}/gu)].map(([, id]) => id)
      sent.length = 0
      await found(...ids)
      assert.deepStrictEqual(sent, [endpoint.replaceAll(/[{}]/gu, "")], operationId)
    }
  })

  it("are no more than those of the document", () => {
    const souk = new Souk({ baseUrl: "http://market.test" })
    const reachable = Object.entries(souk).flatMap(([group, namespace]) => [
      ...(typeof namespace === "function"
        ? [group === "events" ? "events.subscribe" : `${group}.${group}`]
        : []),
      ...Object.keys(namespace)
        .filter((name) => name !== "page")
        .map((name) => `${group}.${name}`)
    ])
    assert.sameMembers(reachable, [...documented.keys()])
  })
})
