import { assert, describe, it } from "@effect/vitest"
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { dirname, join } from "node:path"
import { checkArrows } from "../check-arrows.ts"

/** Runs the check on a workspace of these files and nothing else. */
const check = (files: Readonly<Record<string, string>>): ReadonlyArray<string> => {
  const root = mkdtempSync(join(tmpdir(), "souk-arrows-"))
  try {
    for (const [file, text] of Object.entries(files)) {
      mkdirSync(dirname(join(root, file)), { recursive: true })
      writeFileSync(join(root, file), text)
    }
    return checkArrows(root)
  } finally {
    rmSync(root, { recursive: true })
  }
}

describe("check-arrows", () => {
  it("accepts imports along the arrows", () => {
    assert.deepStrictEqual(
      check({
        "packages/core/src/index.ts": `export * from "./rules/Rfq.ts"\nexport * from "./model/Rfq.ts"\n`,
        "packages/core/src/model/Id.ts": `import * as Schema from "effect/Schema"\n`,
        "packages/core/src/model/Rfq.ts": `import { Id } from "./Id.ts"\n`,
        "packages/core/src/rules/Rfq.ts": `import type { Rfq } from "../model/Rfq.ts"\n`,
        "packages/api/src/index.ts": `import { Rfq } from "@souk/core"\n`,
        "packages/server/src/index.ts": `import "@souk/api"\nimport "node:http"\n`,
        "packages/cli/src/main.ts": `import "@souk/sql"\nimport "@souk/server"\n`,
        "packages/core/test/Rfq.test.ts": `import "@souk/testing"\nimport "../src/rules/Rfq.ts"\nimport "../../../examples/node/main.ts"\n`,
        "examples/node/main.ts": `import "@souk/server"\nimport "@souk/testing"\n`
      }),
      []
    )
  })

  it("finds an import against the arrow between packages", () => {
    assert.deepStrictEqual(
      check({
        "packages/core/src/index.ts": `import "@souk/sql"\n`,
        "packages/server/src/index.ts": `import "@souk/sql/migrations"\n`,
        "packages/cli/src/main.ts": `import "@souk/testing"\n`,
        "packages/testing/src/index.ts": `import "@souk/cli"\n`,
        "packages/ghost/src/index.ts": `import "@souk/core"\n`,
        "scripts/bench.ts": `import "@souk/testing"\n`
      }),
      [
        "packages/cli/src/main.ts -> @souk/testing: cli may import only core, api, server, sql",
        "packages/core/src/index.ts -> @souk/sql: core may import no other package",
        "packages/ghost/src/index.ts -> @souk/core: the design has no package ghost",
        "packages/server/src/index.ts -> @souk/sql/migrations: server may import only core, api",
        "packages/testing/src/index.ts -> @souk/cli: testing may import only core, api, client, sql, server, mcp",
        "scripts/bench.ts -> @souk/testing: only examples and tests may import testing"
      ]
    )
  })

  it("finds a way round the name of a package", () => {
    assert.deepStrictEqual(
      check({
        "packages/api/src/index.ts": `import "../../core/src/model/Id.ts"\nimport "@souk/api"\n`,
        "packages/api/test/a.test.ts": `import "../../core/src/model/Id.ts"\n`,
        "packages/sql/src/index.ts": `import "../test/a.ts"\nimport "../../../examples/main.ts"\n`
      }),
      [
        "packages/api/src/index.ts -> packages/core/src/model/Id.ts: another package is imported by its name",
        "packages/api/src/index.ts -> @souk/api: a package does not import itself by its name",
        "packages/api/test/a.test.ts -> packages/core/src/model/Id.ts: another package is imported by its name",
        "packages/sql/src/index.ts -> packages/sql/test/a.ts: sources import only sources",
        "packages/sql/src/index.ts -> examples/main.ts: sources import only sources"
      ]
    )
  })

  it("finds an import against the arrow between the folders of core", () => {
    assert.deepStrictEqual(
      check({
        "packages/core/src/memory/Store.ts": `import "../rules/Rfq.ts"\n`,
        "packages/core/src/misc/Odd.ts": `export const odd = 1\n`,
        "packages/core/src/model/Id.ts": `import "../ports/Ids.ts"\n`,
        "packages/core/src/rules/Rfq.ts": `import "../index.ts"\n`,
        "packages/core/src/services/Rfqs.ts": `import "../memory/Store.ts"\n`
      }),
      [
        "packages/core/src/memory/Store.ts -> packages/core/src/rules/Rfq.ts: memory may import only model, ports",
        "packages/core/src/misc/Odd.ts -> src/misc: the design has no folder misc in core",
        "packages/core/src/model/Id.ts -> packages/core/src/ports/Ids.ts: model may import nothing of the project",
        "packages/core/src/rules/Rfq.ts -> packages/core/src/index.ts: rules may import only model",
        "packages/core/src/services/Rfqs.ts -> packages/core/src/memory/Store.ts: services may import only model, rules, ports"
      ]
    )
  })

  it("finds what core and api take from Node", () => {
    assert.deepStrictEqual(
      check({
        "packages/api/src/index.ts": `import "@effect/platform-node"\nimport "fs/promises"\n`,
        "packages/core/src/index.ts": `import { createHash } from "node:crypto"\n`
      }),
      [
        "packages/api/src/index.ts -> @effect/platform-node: api imports nothing of Node",
        "packages/api/src/index.ts -> fs/promises: api imports nothing of Node",
        "packages/core/src/index.ts -> node:crypto: core imports nothing of Node"
      ]
    )
  })

  it("finds a circle, of types as of values, whatever the import looks like", () => {
    assert.deepStrictEqual(
      check({
        "packages/core/src/model/A.ts": `import type { B } from "./B.ts"\nexport type A = B\n`,
        "packages/core/src/model/B.ts": `export * from "./C.ts"\n`,
        "packages/core/src/model/C.ts": `export type C = import("./D.ts").D\n`,
        "packages/core/src/model/D.ts": `export const load = () => import("./A.ts")\nexport type D = 1\n`,
        "packages/sql/src/Self.ts": `import * as Self from "./Self.ts"\n`
      }),
      [
        "packages/core/src/model/A.ts -> packages/core/src/model/B.ts: circle packages/core/src/model/A.ts -> " +
          "packages/core/src/model/B.ts -> packages/core/src/model/C.ts -> packages/core/src/model/D.ts -> " +
          "packages/core/src/model/A.ts",
        "packages/sql/src/Self.ts -> packages/sql/src/Self.ts: circle packages/sql/src/Self.ts -> packages/sql/src/Self.ts"
      ]
    )
  })

  it("reads code, not what stands in comments and strings", () => {
    assert.deepStrictEqual(
      check({
        "packages/core/src/index.ts": `/*\nimport "node:fs"\n*/\nexport const text = \`\nimport "node:fs"\n\`\n`
      }),
      []
    )
  })

  it("holds in this workspace", () => {
    assert.deepStrictEqual(checkArrows(join(import.meta.dirname, "../..")), [])
  })
})
