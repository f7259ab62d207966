import { MemoryStore } from "@souk/core"
import { createMarketplace } from "@souk/server"
import { toKoaMiddleware } from "@souk/server/koa"
import Koa from "koa"

const market = createMarketplace({ store: MemoryStore.layer, basePath: "/market" })

const app = new Koa()
app.use(toKoaMiddleware(market))
app.use((context) => void (context.body = "Our own page"))
const server = app.listen(Number(process.env["PORT"] ?? 4100))

process.once("SIGTERM", async () => {
  await market.close()
  server.close()
})
