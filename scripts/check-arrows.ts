/**
 * Checks that imports run only along the arrows of the design: between packages, between the folders of
 * the core, and never in a circle. Types count like values: a type that points the wrong way is a
 * dependency too.
 *
 * Prints each broken arrow as `file -> what it imports: rule` and exits with 1.
 */
import { existsSync, globSync, readFileSync } from "node:fs"
import { builtinModules } from "node:module"
import { dirname, join, posix, resolve } from "node:path"
import { parseSync, Visitor } from "oxc-parser"

/** What the sources of a package may import of the other packages. */
const packageArrows: Readonly<Record<string, ReadonlyArray<string>>> = {
  core: [],
  api: ["core"],
  client: ["core", "api"],
  sql: ["core"],
  server: ["core", "api"],
  mcp: ["core", "api", "server"],
  cli: ["core", "api", "server", "sql"],
  testing: ["core", "api", "client", "sql", "server", "mcp"]
}

/** What a folder of the core may import of the others. Files directly in `src` see all folders. */
const coreArrows: Readonly<Record<string, ReadonlyArray<string>>> = {
  model: [],
  rules: ["model"],
  ports: ["model"],
  services: ["model", "rules", "ports"],
  search: ["model", "ports"],
  memory: ["model", "ports"],
  workers: ["model", "rules", "ports", "services"]
}

/** Packages that run wherever JavaScript runs. */
const withoutNode: ReadonlyArray<string> = ["core", "api", "client"]

interface Import {
  readonly from: string
  readonly specifier: string
}

/** Where a file stands: in which package (or in `examples` or `scripts`), and in which part of it. */
interface Place {
  readonly unit: string
  readonly isPackage: boolean
  readonly part: "src" | "test"
  /** The folder below `src`; empty for a file directly in it. */
  readonly folder: string
}

const builtins = new Set(builtinModules)
const isOfNode = (specifier: string): boolean =>
  specifier.startsWith("node:") ||
  specifier.startsWith("@effect/platform-node") ||
  builtins.has(specifier) ||
  builtins.has(specifier.split("/")[0] ?? specifier)

const placeOf = (file: string): Place => {
  const segments = file.split("/")
  if (segments[0] !== "packages") {
    return { unit: segments[0] ?? "", isPackage: false, part: "test", folder: "" }
  }
  const part = segments[2] === "src" ? "src" : "test"
  return {
    unit: segments[1] ?? "",
    isPackage: true,
    part,
    folder: segments.length > 4 ? (segments[3] ?? "") : ""
  }
}

const importsOf = (root: string, file: string): ReadonlyArray<Import> => {
  const { errors, program } = parseSync(file, readFileSync(join(root, file), "utf8"))
  if (errors[0] !== undefined) throw new Error(`${file}: ${errors[0].message}`)
  const specifiers = new Set<string>()
  const add = (node: unknown): void => {
    if (typeof node !== "object" || node === null || !("value" in node)) return
    if (typeof node.value === "string") specifiers.add(node.value)
  }
  new Visitor({
    ImportDeclaration: (node) => add(node.source),
    ExportAllDeclaration: (node) => add(node.source),
    ExportNamedDeclaration: (node) => add(node.source),
    ImportExpression: (node) => add(node.source),
    TSImportType: (node) => add(node.source)
  }).visit(program)
  return Array.from(specifiers, (specifier) => ({ from: file, specifier }))
}

/** The rule that an import by relative path breaks, if any. */
const relativeRule = (from: Place, to: Place): string | undefined => {
  if (from.unit !== to.unit || from.isPackage !== to.isPackage) {
    if (to.isPackage) return "another package is imported by its name"
    if (from.isPackage && from.part === "src") return "sources import only sources"
    if (to.unit === "scripts") return "nothing imports scripts"
    return undefined
  }
  if (!from.isPackage || from.part === "test") return undefined
  if (to.part === "test") return "sources import only sources"
  if (from.unit !== "core" || from.folder === to.folder || from.folder === "") return undefined
  const allowed = coreArrows[from.folder]
  if (allowed === undefined || allowed.includes(to.folder)) return undefined
  return `${from.folder} may import ${allowed.length === 0 ? "nothing of the project" : `only ${allowed.join(", ")}`}`
}

/** The rule that an import by name breaks, if any. */
const namedRule = (from: Place, specifier: string): string | undefined => {
  const inSources = from.isPackage && from.part === "src"
  const target = /^@souk\/([^/]+)/.exec(specifier)?.[1]
  if (target === undefined) {
    return inSources && withoutNode.includes(from.unit) && isOfNode(specifier)
      ? `${from.unit} imports nothing of Node`
      : undefined
  }
  if (!inSources) {
    return from.unit === "scripts" && (target === "testing" || target === "cli")
      ? `only examples and tests may import ${target}`
      : undefined
  }
  if (target === from.unit) return "a package does not import itself by its name"
  const allowed = packageArrows[from.unit]
  if (allowed === undefined) return `the design has no package ${from.unit}`
  if (allowed.includes(target)) return undefined
  return `${from.unit} may import ${allowed.length === 0 ? "no other package" : `only ${allowed.join(", ")}`}`
}

/** One circle for each import that closes one, as the path round it. */
const circlesOf = (
  edges: ReadonlyMap<string, ReadonlyArray<string>>
): ReadonlyArray<ReadonlyArray<string>> => {
  const circles: Array<ReadonlyArray<string>> = []
  const done = new Set<string>()
  const path: Array<string> = []
  const visit = (file: string): void => {
    const start = path.indexOf(file)
    if (start >= 0) {
      circles.push([...path.slice(start), file])
      return
    }
    if (done.has(file)) return
    path.push(file)
    for (const next of edges.get(file) ?? []) visit(next)
    path.pop()
    done.add(file)
  }
  for (const file of edges.keys()) visit(file)
  return circles
}

/** Finds the broken arrows of the workspace at `root`, one line each; empty when all hold. */
export const checkArrows = (root: string): ReadonlyArray<string> => {
  const files = globSync(["packages/*/{src,test}/**/*.ts", "examples/**/*.ts", "scripts/**/*.ts"], {
    cwd: root,
    exclude: (name) => /(^|[/\\])(node_modules|dist|\.next)$/.test(name)
  })
    .map((file) => file.replaceAll("\\", "/"))
    .toSorted()
  const broken: Array<string> = []
  const edges = new Map<string, Array<string>>()
  for (const file of files) {
    const from = placeOf(file)
    const targets: Array<string> = []
    edges.set(file, targets)
    if (from.unit === "core" && from.part === "src" && from.folder !== "" && !(from.folder in coreArrows)) {
      broken.push(`${file} -> src/${from.folder}: the design has no folder ${from.folder} in core`)
    }
    for (const { specifier } of importsOf(root, file)) {
      const isRelative = specifier.startsWith(".")
      const target = isRelative ? posix.normalize(posix.join(posix.dirname(file), specifier)) : specifier
      const rule = isRelative ? relativeRule(from, placeOf(target)) : namedRule(from, specifier)
      if (rule !== undefined) broken.push(`${file} -> ${target}: ${rule}`)
      if (isRelative && existsSync(join(root, target))) targets.push(target)
    }
  }
  for (const circle of circlesOf(edges)) {
    broken.push(`${circle[0]} -> ${circle[1]}: circle ${circle.join(" -> ")}`)
  }
  return broken
}

if (import.meta.main) {
  const broken = checkArrows(resolve(dirname(import.meta.filename), ".."))
  for (const line of broken) console.error(line)
  if (broken.length > 0) process.exitCode = 1
}
