import { serve } from "@hono/node-server"
import { MemoryStore } from "@souk/core"
import { createMarketplace } from "@souk/server"
import { toHonoHandler } from "@souk/server/hono"
import { Hono } from "hono"

const market = createMarketplace({ store: MemoryStore.layer, basePath: "/market" })

const app = new Hono()
app.use(toHonoHandler(market))
app.get("/about", (context) => context.text("Our own page"))
const server = serve({ fetch: app.fetch, port: Number(process.env["PORT"] ?? 4100) })

process.once("SIGTERM", async () => {
  await market.close()
  server.close()
})
