/** Jest as it runs ES modules: with `--experimental-vm-modules`, and nothing transformed. */
export default { testMatch: ["<rootDir>/sample.jest.mjs"], testTimeout: 60_000, transform: {} }
