/** What a host is told of a database that is away, and callers are not. */
import { assert, describe, it } from "@effect/vitest"
import { Unavailable } from "@souk/core"
import { createMarketplace } from "@souk/server"
import type { MarketplaceOptions } from "@souk/server"
import { once } from "node:events"
import { createServer } from "node:net"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { SqliteStore } from "../src/index.ts"
import { PostgresStore } from "../src/postgres.ts"

/** A port that nobody listens on. */
const closedPort = async () => {
  const server = createServer().listen(0, "127.0.0.1")
  await once(server, "listening")
  const address = server.address()
  server.close()
  await once(server, "close")
  return typeof address === "object" ? (address?.port ?? 0) : 0
}

/** What the host is told, and a caller. */
const told = async (store: MarketplaceOptions["store"]) => {
  await using market = createMarketplace({ store })
  const reason: unknown = await market.ready().catch((error: unknown) => error)
  if (!(reason instanceof Unavailable)) return assert.fail(String(reason))
  const migrated: unknown = await market.migrate().catch((error: unknown) => error)
  assert.strictEqual(Object(migrated).message, reason.message)
  const response = await market.fetch(new Request("http://market.test/readyz"))
  return { reason: reason.message, cause: reason.cause, response: await response.text() }
}

describe("a market whose database is away", () => {
  it.each([false, true])("says where nobody listens, and no password (migrate: %s)", async (migrate) => {
    const port = await closedPort()
    const url = `postgres://market:secret@127.0.0.1:${port}/app`
    const { cause, reason, response } = await told(PostgresStore.layer({ url, migrate }))
    assert.strictEqual(
      reason,
      `The market's store cannot answer now: connection refused at 127.0.0.1:${port}`
    )
    assert.isDefined(cause)
    for (const secret of ["127.0.0.1", String(port), "secret"]) assert.notInclude(response, secret)
  })

  it("names the file that cannot be opened", async () => {
    const filename = join(tmpdir(), "no-such-directory", "market.db")
    const { reason, response } = await told(SqliteStore.layer({ filename }))
    assert.strictEqual(
      reason,
      `The market's store cannot answer now: unable to open database file: ${filename}`
    )
    assert.notInclude(response, "no-such-directory")
  })
})
