import { createServer } from "node:http"
import { toNodeHandler } from "../../../src/node.ts"
import { listening, ownPage } from "../Host.ts"
import type { Host } from "../Host.ts"

export const nodeHttp: Host = {
  name: "node:http",
  cannot: { noParser: "node:http has none", undressed: "node:http has none" },
  start: ({ marketplace }) => {
    const handler = toNodeHandler(marketplace)
    return listening(
      createServer((request, response) =>
        handler(request, response, () => void response.writeHead(200).end(ownPage))
      )
    )
  }
}
