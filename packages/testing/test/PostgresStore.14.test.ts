import { postgresConformance } from "./postgresConformance.ts"

// The oldest that the documentation promises.
postgresConformance("14", { runs: 10 })
