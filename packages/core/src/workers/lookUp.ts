/** How often a worker looks by itself for what nobody woke it for. */
import { Duration } from "effect"
import type { Store } from "../ports/Store.ts"

const besideOthers = Duration.seconds(5)

/**
 * Where other processes write to the store, one of them may have died with work of its own: what it left is found
 * within seconds. A process that is alone with its store knows of everything, and looks as seldom as it says.
 */
export const lookUpEvery = (store: Store["Service"], alone: Duration.Duration): Duration.Duration =>
  store.events.signals === undefined ? alone : besideOthers
