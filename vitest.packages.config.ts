import { defineConfig } from "vitest/config"

// What is packed is tested apart: it builds, packs and installs, and needs the registry of npm.
export default defineConfig({
  test: {
    include: ["test/packages/*.test.ts"],
    globalSetup: "test/packages/pack.ts",
    allowOnly: false,
    pool: "forks",
    maxWorkers: 2,
    testTimeout: 180_000,
    hookTimeout: 180_000
  }
})
