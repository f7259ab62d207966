/** What the packages are made of, as those who install them find it. */
import { assert, describe, it } from "@effect/vitest"
import { execFileSync } from "node:child_process"
import { globSync, readFileSync } from "node:fs"
import { join } from "node:path"

const root = join(import.meta.dirname, "../..")

/** Loads modules in a process of their own, and gives all that is imported on the way. */
const importsOf = (...specifiers: ReadonlyArray<string>): ReadonlyArray<string> => {
  const program = `
    import { registerHooks } from "node:module"
    registerHooks({ resolve: (name, context, next) => (console.log(name), next(name, context)) })
    for (const name of ${JSON.stringify(specifiers)}) await import(name)`
  const args = ["--conditions=source", "--input-type=module", "--eval", program]
  return execFileSync(process.execPath, args, { cwd: join(root, "packages/testing"), encoding: "utf8" })
    .trim()
    .split("\n")
}

const matching = (names: ReadonlyArray<string>, pattern: RegExp) => names.filter((name) => pattern.test(name))

describe("the packages", () => {
  it("have the licence in their tarballs", () => {
    const licence = readFileSync(join(root, "LICENSE"), "utf8")
    for (const manifest of globSync("packages/*/package.json", { cwd: root }))
      assert.strictEqual(readFileSync(join(root, manifest, "../LICENSE"), "utf8"), licence, manifest)
  })

  it("have one version, and name each other by it", () => {
    const manifests = globSync("packages/*/package.json", { cwd: root }).map((file) => ({
      dependencies: {},
      devDependencies: {},
      ...JSON.parse(readFileSync(join(root, file), "utf8"))
    }))
    const versions = new Set(manifests.map(({ version }) => version))
    assert.strictEqual(versions.size, 1)
    for (const { dependencies, devDependencies, name } of manifests)
      for (const [other, range] of Object.entries({ ...dependencies, ...devDependencies }))
        if (other.startsWith("@souk/")) assert.isTrue(versions.has(range), `${name} takes ${other} ${range}`)
  })

  it("say alike what they need, what they hold, and under which licence", () => {
    const { engines } = JSON.parse(readFileSync(join(root, "package.json"), "utf8"))
    const said = {
      license: "MIT",
      type: "module",
      sideEffects: false,
      engines,
      files: ["dist", "src", "!dist/.tsbuildinfo"],
      publishConfig: { access: "public" }
    }
    for (const file of globSync("packages/*/package.json", { cwd: root })) {
      const { exports, ...manifest } = JSON.parse(readFileSync(join(root, file), "utf8"))
      assert.deepInclude(manifest, said, file)
      const { "./package.json": _, ...entries } = exports
      for (const [entry, conditions] of Object.entries(entries))
        // The first that fits is taken: sources for us, types for compilers, modules for all others.
        assert.deepStrictEqual(Object.keys(Object(conditions)), ["source", "types", "default"], file + entry)
    }
  })

  it("@souk/server and its adapters for fetch need nothing of Node", () => {
    const imports = importsOf("@souk/server", "@souk/server/hono", "@souk/server/next")
    assert.deepStrictEqual(matching(imports, /^node:|platform-node/u), [])
  })

  it("no adapter loads its framework", () => {
    const hosts = ["express", "fastify", "koa", "hono", "next", "nest", "node"]
    const imports = importsOf(...hosts.map((host) => `@souk/server/${host}`))
    assert.deepStrictEqual(matching(imports, /^(?:express|fastify|koa|hono|next|@nestjs)\b/u), [])
  })

  it("@souk/testing needs no test runner", () => {
    assert.deepStrictEqual(matching(importsOf("@souk/testing"), /vitest/u), [])
  })
})
