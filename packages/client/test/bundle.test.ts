/** The client as a bundler makes it for a browser: how large it is, and what it asks of its surroundings. */
import { assert, describe, it } from "@effect/vitest"
import { join } from "node:path"
import { createContext, runInContext } from "node:vm"
import { gzipSync } from "node:zlib"
import { rolldown } from "rolldown"
import { serve } from "./serve.ts"

const bundle = async () => {
  const build = await rolldown({
    input: join(import.meta.dirname, "../src/index.ts"),
    platform: "browser",
    resolve: { conditionNames: ["source", "import"] }
  })
  const { output } = await build.generate({ format: "iife", name: "client", minify: true })
  const [{ code, imports }] = output
  return { code, imports, files: output.length }
}

describe("the bundle of the promise client", () => {
  it("holds nothing of the contract's schemas and stays below 6 KiB", async () => {
    const { code, imports, files } = await bundle()
    assert.strictEqual(files, 1)
    assert.deepStrictEqual(imports, [])
    const bytes = gzipSync(code, { level: 9 }).byteLength
    console.log(`@souk/client: ${bytes} bytes, compressed`)
    assert.isBelow(bytes, 6 * 1024)
  })

  it("runs with what browsers and workers have, and nothing of Node", async () => {
    await using market = await serve()
    const { code } = await bundle()
    const context = createContext({
      baseUrl: market.url,
      AbortController,
      AbortSignal,
      clearTimeout,
      crypto,
      fetch,
      Headers,
      setTimeout,
      TextDecoderStream,
      TextEncoder,
      URL,
      URLSearchParams
    })
    const script = `${code}
      ;(async () => {
        const { Souk } = client
        const { apiKey } = await new Souk({ baseUrl }).agents.register({ handle: "seller", name: "S", email: "s@example.com" })
        const souk = new Souk({ baseUrl, apiKey })
        const { listing } = await souk.listings.publish({ title: "Translate", pricing: { model: "quote" } })
        for await (const event of souk.events({ types: ["listing.*"], after: "earliest" }))
          return [listing.id === event.subject.id, await souk.listings.get("lst_none").catch((error) => error.code)].join()
      })()`
    assert.strictEqual(await runInContext(script, context), "true,not_found")
  })
})
