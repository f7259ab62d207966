import { MemoryStore } from "@souk/core"
import { createMarketplace } from "@souk/server"
import { toNodeHandler } from "@souk/server/node"
import { createServer } from "node:http"

const market = createMarketplace({ store: MemoryStore.layer, basePath: "/market" })
const handler = toNodeHandler(market)

const server = createServer((request, response) =>
  handler(request, response, () => void response.end("Our own page"))
).listen(Number(process.env["PORT"] ?? 4100))

process.once("SIGTERM", async () => {
  await market.close()
  server.close()
})
