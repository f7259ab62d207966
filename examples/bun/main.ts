import { MemoryStore } from "@souk/core"
import { createMarketplace } from "@souk/server"

const market = createMarketplace({ store: MemoryStore.layer, basePath: "/market" })

const server = Bun.serve({
  port: process.env["PORT"] ?? 4100,
  // A quiet stream says every 15 seconds that it lives; Bun would end it after 10.
  idleTimeout: 60,
  fetch: (request, server) =>
    /^\/market(?:\/|$)/u.test(new URL(request.url).pathname)
      ? market.fetch(request, { clientAddress: server.requestIP(request)?.address })
      : new Response("Our own page")
})

process.once("SIGTERM", async () => {
  await market.close()
  await server.stop()
})
