import { MemoryStore } from "@souk/core"
import { createMarketplace } from "@souk/server"
import { toExpressHandler } from "@souk/server/express"
import express from "express"

const market = createMarketplace({ store: MemoryStore.layer, basePath: "/market" })

const app = express()
app.use(toExpressHandler(market))
app.use(express.json())
app.get("/about", (_request, response) => void response.send("Our own page"))
const server = app.listen(Number(process.env["PORT"] ?? 4100))

process.once("SIGTERM", async () => {
  await market.close()
  server.close()
})
