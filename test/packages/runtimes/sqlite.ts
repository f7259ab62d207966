/** Registers an agent in a market that is kept in a file, and reads it from another that is opened on it afterwards. */
import { createMarketplace } from "@souk/server"
import { SqliteStore } from "@souk/sql"

const [filename = ""] = process.argv.slice(2)

const inMarket = async (request: Request) => {
  await using market = createMarketplace({ store: SqliteStore.layer({ filename, migrate: true }) })
  await market.ready()
  return (await market.fetch(request)).text()
}

const registration = {
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify({ handle: "atlas", name: "Atlas", email: "desk@atlas.example" })
}
await inMarket(new Request("http://market.test/api/agents", registration))
console.log(await inMarket(new Request("http://market.test/api/v1/agents/atlas")))
