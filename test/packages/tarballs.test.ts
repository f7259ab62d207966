/**
 * The packages as those who install them get them: packed, checked, installed into projects outside of the workspace,
 * loaded, compiled against and run.
 */
import { checkPackage, createPackageFromTarballData } from "@arethetypeswrong/core"
import { cpSync, existsSync, readFileSync, writeFileSync } from "node:fs"
import { isBuiltin } from "node:module"
import { join } from "node:path"
import { publint } from "publint"
import { formatMessage } from "publint/utils"
import { assert, beforeAll, describe, inject, it } from "vitest"
import { like, manifestOf, manifests, project, root, run, tarballOf, tarballsOf } from "./project.ts"
import type { Manifest } from "./project.ts"

const scratch = inject("scratch")

/** The names by which what a package exports is imported. */
const entriesOf = ({ name, exports }: Manifest) =>
  Object.keys(exports)
    .filter((path) => path !== "./package.json")
    .map((path) => name + path.slice(1))
const entries = manifests.flatMap(entriesOf)

/** Loads modules in a process of their own, and gives every name that was imported on the way. */
const importsOf = async (folder: string, specifiers: ReadonlyArray<string>) => {
  const program = `
    import { registerHooks } from "node:module"
    registerHooks({ resolve: (name, context, next) => (console.log(name), next(name, context)) })
    for (const name of ${JSON.stringify(specifiers)}) await import(name)`
  const printed = await run(folder, process.execPath, "--input-type=module", "--eval", program)
  return printed.trim().split("\n")
}

const compilers = ["typescript", "typescript5"]
const resolutions = [
  { module: "nodenext", moduleResolution: "nodenext" },
  { module: "esnext", moduleResolution: "bundler" }
]

/** Compiles a file of the project as a careful user would: no declaration is let off. */
const compile = (
  folder: string,
  compiler: string,
  name: string,
  options: object,
  ...files: ReadonlyArray<string>
) => {
  const strict = {
    strict: true,
    exactOptionalPropertyTypes: true,
    noUncheckedIndexedAccess: true,
    declaration: true,
    skipLibCheck: false,
    target: "es2022",
    rootDir: "src",
    outDir: name
  }
  const path = join(folder, `tsconfig.${name}.json`)
  writeFileSync(path, JSON.stringify({ compilerOptions: { ...strict, ...options }, files }))
  return run(folder, process.execPath, join(folder, "node_modules", compiler, "bin/tsc"), "-p", path)
}

describe("a tarball", () => {
  it.each(manifests)("of $name is well made", async (manifest) => {
    const data = readFileSync(tarballOf(scratch, manifest))
    const tarball = data.buffer.slice(data.byteOffset, data.byteOffset + data.byteLength)
    const { messages, pkg } = await publint({ pack: { tarball }, strict: true })
    assert.deepStrictEqual(
      messages.map((message) => formatMessage(message, pkg)),
      []
    )
  })

  // Modules alone: CommonJS loads them with `require`, which resolution as of Node 16 knows nothing of.
  it.each(manifests)("of $name has types for what it exports", async (manifest) => {
    const result = await checkPackage(
      createPackageFromTarballData(readFileSync(tarballOf(scratch, manifest)))
    )
    const problems = result.types === false ? [] : result.problems
    const modules = problems.filter(
      (problem) => !("resolutionKind" in problem) || !/^node(?:10|16-cjs)$/u.test(problem.resolutionKind)
    )
    assert.deepStrictEqual(modules, [])
  })

  it.each(manifests)("of $name holds what it should", async (manifest) => {
    const files = (await run(scratch, "tar", "-tzf", tarballOf(scratch, manifest))).split("\n")
    for (const name of ["LICENSE", "README.md", "package.json"]) assert.include(files, `package/${name}`)
    assert.deepStrictEqual(
      files.filter((file) => /tsbuildinfo|\.test\.|\/(?:test|bench|scripts)\//u.test(file)),
      []
    )
  })
})

describe("packages that are installed by themselves", () => {
  it("load without what they have as an option", async () => {
    const folder = await project(
      scratch,
      "bare",
      tarballsOf(
        scratch,
        "@souk/api",
        "@souk/client",
        "@souk/core",
        "@souk/server",
        "@souk/sql",
        "@souk/testing"
      )
    )
    for (const name of ["@effect/platform-node", "@effect/sql-pg", "express", "redis", "vitest"])
      assert.isFalse(existsSync(join(folder, "node_modules", name)), name)
    const needy = /^@souk\/(?:server\/(?:node|express|nest|redis)|sql\/postgres|testing\/conformance)$/u
    await importsOf(
      folder,
      entries.filter((entry) => !needy.test(entry) && !entry.startsWith("@souk/cli"))
    )

    const anywhere = manifests.filter(({ name }) =>
      ["@souk/api", "@souk/client", "@souk/core"].includes(name)
    )
    const imports = await importsOf(folder, anywhere.flatMap(entriesOf))
    assert.include(imports, "effect")
    assert.deepStrictEqual(imports.filter(isBuiltin), [], "nothing of Node")
  })
})

describe("packages in a project", () => {
  let folder = ""

  beforeAll(async () => {
    const others = like(
      "@effect/platform-node",
      "@effect/sql-pg",
      "@effect/vitest",
      "@types/express",
      "@types/node",
      "effect",
      "express",
      "typescript",
      "vitest"
    )
    // Beside the newest, the one before, which many hosts still have.
    others.push("typescript5@npm:typescript@~5.9.3")
    folder = await project(scratch, "consumer", [
      ...manifests.map((manifest) => tarballOf(scratch, manifest)),
      ...others
    ])
    cpSync(join(import.meta.dirname, "consumer"), join(folder, "src"), { recursive: true })
  })

  it("are loaded by import", async () => {
    assert.includeMembers([...(await importsOf(folder, entries))], entries)
  })

  it("are loaded by require", async () => {
    // A file, since Vitest asks for the name of who requires it.
    const file = join(folder, "require.cjs")
    const names = JSON.stringify(entries)
    writeFileSync(
      file,
      `for (const name of ${names}) console.log(name, Object.keys(require(name)).length > 0)`
    )
    const loaded = await run(folder, process.execPath, file)
    assert.deepStrictEqual(
      loaded.trim().split("\n"),
      entries.map((entry) => `${entry} true`)
    )
  })

  describe.each(compilers)("with %s", (compiler) => {
    it.each(resolutions)("have types that fit by $moduleResolution, and run", async (resolution) => {
      const name = `${compiler}-${resolution.moduleResolution}`
      const options = { ...resolution, types: ["node"] }
      await compile(folder, compiler, name, options, "src/main.ts", "src/everything.ts")
      assert.strictEqual(await run(folder, process.execPath, join(folder, name, "main.js")), "done\n")
    })
  })

  it("have a client for pages, without the types of Node", async () => {
    const lib = ["ES2024", "ESNext.Disposable", "DOM", "DOM.Iterable"]
    const options = { module: "esnext", moduleResolution: "bundler", types: [], lib }
    await compile(folder, "typescript", "page", options, "src/page.ts")
  })

  it("have a command", async () => {
    const souk = (...args: ReadonlyArray<string>) => run(folder, "npx", "--no-install", "souk", ...args)
    assert.include(await souk("--help"), "A marketplace for software agents")
    assert.include(await souk("--version"), manifestOf(join(root, "packages/cli")).version)
    assert.match(await souk("openapi"), /"openapi":\s*"3\.1/u)
  })
})
