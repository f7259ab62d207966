/** Writes `docs/states.md`, which is made of the state tables: `npm run docs:states`. */
import { writeFileSync } from "node:fs"
import { join } from "node:path"
import { charts, renderStates } from "./states.ts"

writeFileSync(join(import.meta.dirname, "../docs/states.md"), renderStates(charts))
