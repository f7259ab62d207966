/** Projects outside of the workspace, into which the packages are installed from their tarballs. */
import { execFile } from "node:child_process"
import { globSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { promisify } from "node:util"

export interface Manifest {
  readonly name: string
  readonly version: string
  readonly private?: boolean
  readonly exports: Readonly<Record<string, unknown>>
}

export const root = join(import.meta.dirname, "../..")

export const manifestOf = (folder: string): Manifest =>
  JSON.parse(readFileSync(join(folder, "package.json"), "utf8"))

export const manifests = globSync("packages/*/package.json", { cwd: root })
  .toSorted()
  .map((file) => manifestOf(join(root, file, "..")))

export const tarballOf = (scratch: string, { name, version }: Manifest) =>
  join(scratch, `${name.replace("@", "").replace("/", "-")}-${version}.tgz`)

export const tarballsOf = (scratch: string, ...names: ReadonlyArray<string>) =>
  manifests.filter(({ name }) => names.includes(name)).map((manifest) => tarballOf(scratch, manifest))

const execute = promisify(execFile)

/** Runs a command and gives what it printed; fails with all that it said. */
export const run = async (cwd: string, command: string, ...args: ReadonlyArray<string>): Promise<string> => {
  const { stdout } = await execute(command, args, { cwd, maxBuffer: 64 * 1024 * 1024 }).catch(
    (failed: { readonly stdout?: string; readonly stderr?: string }) => {
      throw new Error(`${command} ${args.join(" ")}\n${failed.stdout ?? ""}${failed.stderr ?? ""}`)
    }
  )
  return stdout
}

/** What else a project installs, in the version that the workspace has. */
export const like = (...names: ReadonlyArray<string>) =>
  names.map((name) => `${name}@${manifestOf(join(root, "node_modules", name)).version}`)

/** Installs packages into a project, and what its manifest asks for. No script of theirs is needed, and none is run. */
export const install = (folder: string, packages: ReadonlyArray<string>) =>
  run(
    folder,
    "npm",
    "install",
    "--prefer-offline",
    "--ignore-scripts",
    "--no-audit",
    "--no-fund",
    ...packages
  )

/** Makes a project, and installs packages into it. */
export const project = async (
  scratch: string,
  name: string,
  packages: ReadonlyArray<string>
): Promise<string> => {
  const folder = join(scratch, name)
  mkdirSync(folder)
  writeFileSync(join(folder, "package.json"), JSON.stringify({ name, private: true, type: "module" }))
  await install(folder, packages)
  return folder
}
