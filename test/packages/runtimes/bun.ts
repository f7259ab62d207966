import { open } from "./landlord.ts"

open((answer) => {
  const server = Bun.serve({
    hostname: "127.0.0.1",
    port: 0,
    idleTimeout: 60,
    fetch: (request, server) => answer(request, server.requestIP(request)?.address ?? "")
  })
  return { port: server.port, stop: () => server.stop() }
})
