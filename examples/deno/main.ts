import { MemoryStore } from "@souk/core"
import { createMarketplace } from "@souk/server"

const market = createMarketplace({ store: MemoryStore.layer, basePath: "/market" })

const server = Deno.serve({ port: Number(Deno.env.get("PORT") ?? 4100) }, (request, { remoteAddr }) =>
  /^\/market(?:\/|$)/u.test(new URL(request.url).pathname)
    ? market.fetch(request, { clientAddress: remoteAddr.hostname })
    : new Response("Our own page")
)

Deno.addSignalListener("SIGTERM", async () => {
  await market.close()
  await server.shutdown()
})
