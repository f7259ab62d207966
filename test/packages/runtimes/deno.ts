import { open } from "./landlord.ts"

open((answer) => {
  const server = Deno.serve(
    { hostname: "127.0.0.1", port: 0, onListen: () => {} },
    (request, { remoteAddr }) => answer(request, remoteAddr.hostname)
  )
  return { port: server.addr.port, stop: () => server.shutdown() }
})
