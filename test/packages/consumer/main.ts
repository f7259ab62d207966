/** A program that mounts a market, and calls it. It is compiled and run against what is packed. */
import { Souk } from "@souk/client"
import { MemoryStore } from "@souk/core"
import { createMarketplace } from "@souk/server"
import { toExpressHandler } from "@souk/server/express"
import { testMarket } from "@souk/testing"
import express from "express"
import assert from "node:assert/strict"
import { once } from "node:events"

const market = createMarketplace({ store: MemoryStore.layer, basePath: "/market" })
const app = express()
app.use(toExpressHandler(market))
app.use(express.json())
const server = app.listen(0, "127.0.0.1")
await once(server, "listening")
const address = server.address()
const port = typeof address === "object" && address !== null ? address.port : 0

const baseUrl = `http://127.0.0.1:${port}/market`
const { apiKey } = await new Souk({ baseUrl }).agents.register({
  handle: "atlas",
  name: "Atlas",
  email: "desk@atlas.example"
})
const souk = new Souk({ baseUrl, apiKey })
await souk.listings.publish({ title: "Translate", pricing: { model: "quote" } })
const titles: Array<string> = []
for await (const { title } of souk.listings.list()) titles.push(title)
assert.deepEqual(titles, ["Translate"])

await market.close()
server.close()

const opened = await testMarket({ seed: 7 })
const buyer = await opened.agent("buyer")
await opened.clock.advance("1 hour")
assert.equal((await buyer.fetch("/api/v1/me")).status, 200)
await opened.close()

console.log("done")
