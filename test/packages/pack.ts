/** Packs the packages once, for all the tests of what is packed. */
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import { manifests, root, run } from "./project.ts"

declare module "vitest" {
  interface ProvidedContext {
    /** The folder of the tarballs, and of the projects that they are installed into. */
    readonly scratch: string
  }
}

export default async ({ provide }: TestProject) => {
  const scratch = await mkdtemp(join(tmpdir(), "souk-packages-"))
  const workspaces = manifests.flatMap(({ name }) => ["-w", name])
  await run(root, "npm", "pack", ...workspaces, "--pack-destination", scratch)
  provide("scratch", scratch)
  return () => rm(scratch, { recursive: true, force: true })
}
