import { MemoryStore } from "@souk/core"
import { createMarketplace } from "@souk/server"
import { toFastifyPlugin } from "@souk/server/fastify"
import createFastify from "fastify"

const market = createMarketplace({ store: MemoryStore.layer, basePath: "/market" })

const app = createFastify()
await app.register(toFastifyPlugin(market))
app.get("/about", () => "Our own page")
await app.listen({ port: Number(process.env["PORT"] ?? 4100) })

process.once("SIGTERM", () => app.close())
