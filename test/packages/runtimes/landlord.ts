/**
 * Opens markets on servers of the runtime that this runs on, for the requirements on hosts, which are checked from
 * outside. It is installed beside the packages, together with what furnishes a market.
 */
import { createMarketplace } from "@souk/server"
import { furnish } from "../../../packages/server/test/adapters/furnish.ts"
import type { Furnished, Furniture } from "../../../packages/server/test/adapters/furnish.ts"
import { ownPage } from "../../../packages/server/test/adapters/Host.ts"

/** Answers a request from an address. */
export type Answer = (request: Request, address: string) => Response | Promise<Response>

/** Serves on a free port of this machine. */
export type Serve = (answer: Answer) => { readonly port: number; readonly stop: () => Promise<void> }

/** Serves the landlord, and says at which port: `POST /` opens a market, `/<its port>/<what>` asks after it. */
export const open = (serve: Serve): void => {
  const opened = new Map<string, Furnished & { readonly stop: () => Promise<void> }>()

  const furnishOne = (furniture: Furniture) => {
    const { mount } = furniture
    const furnished = furnish(createMarketplace, furniture)
    const { port, stop } = serve((request, address) => {
      const { pathname } = new URL(request.url)
      return pathname === mount || pathname.startsWith(`${mount}/`)
        ? furnished.marketplace.fetch(request, { clientAddress: address, host: request })
        : new Response(ownPage)
    })
    opened.set(`${port}`, { ...furnished, stop })
    return Response.json({ port })
  }

  const { port } = serve(async (request) => {
    if (request.method === "POST") return furnishOne(JSON.parse(await request.text()))
    const { pathname, searchParams } = new URL(request.url)
    const [, name = "", what = ""] = pathname.split("/")
    const found = opened.get(name)
    if (found === undefined) return new Response(null, { status: 404 })
    const { marketplace, seen, stop } = found
    const asked: Record<string, () => Promise<unknown> | Response> = {
      seen: () => Response.json(seen),
      ready: () => marketplace.ready(),
      close: () => marketplace.close(),
      stop,
      fetch: () =>
        marketplace.fetch(new Request(searchParams.get("url") ?? ""), {
          clientAddress: searchParams.get("address") ?? ""
        })
    }
    const answer = await asked[what]?.()
    return answer instanceof Response ? answer : new Response(null, { status: 204 })
  })
  console.log(port)
}
