import { defineConfig } from "vitest/config"

// Workspace packages are tested from their sources: no build step, no stale dist. The list replaces
// Vite's own, so it names those of Node as well.
const conditions = ["source", "module", "node", "development|production"]

export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions } },
  test: {
    include: ["packages/*/test/**/*.test.ts", "examples/**/*.test.ts", "scripts/test/**/*.test.ts"],
    allowOnly: false,
    pool: "forks",
    maxWorkers: 2,
    execArgv: ["--conditions=source"],
    testTimeout: 30_000,
    hookTimeout: 30_000
  }
})
