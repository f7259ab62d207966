import { MemoryStore } from "@souk/core"
import { createMarketplace } from "@souk/server"

/** The market is one Durable Object: only there may requests share streams, timers and what is in memory. */
export class MarketObject {
  readonly market = createMarketplace({ store: MemoryStore.layer, basePath: "/market" })

  fetch(request: Request) {
    // The network in front writes this header, whatever the caller sends.
    return this.market.fetch(request, { clientAddress: request.headers.get("cf-connecting-ip") ?? undefined })
  }
}

interface Env {
  readonly MARKET: {
    idFromName(name: string): unknown
    get(id: unknown): { fetch(request: Request): Promise<Response> }
  }
}

export default {
  fetch: (request: Request, { MARKET }: Env) =>
    /^\/market(?:\/|$)/u.test(new URL(request.url).pathname)
      ? MARKET.get(MARKET.idFromName("market")).fetch(request)
      : new Response("Our own page")
}
