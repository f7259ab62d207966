import { postgresConformance } from "./postgresConformance.ts"

postgresConformance("18")
