/** Vitest as those have it who install the package: without this workspace's conditions. */
export default { test: { include: ["sample.vitest.mjs"], testTimeout: 60_000 } }
