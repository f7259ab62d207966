/** What a random history can do: every move of the market, by whoever comes, whether it is his to make or not. */
import type { Step } from "../manners.ts"
import { agentSteps } from "./agents.ts"
import { marketSteps } from "./market.ts"
import { operatorSteps } from "./operator.ts"
import { roomSteps } from "./rooms.ts"

export const steps: { readonly [name: string]: Step } = {
  ...agentSteps,
  ...marketSteps,
  ...roomSteps,
  ...operatorSteps
}

/** How often a step is drawn beside the others; once where nothing is said. */
export const weights: { readonly [name: string]: number } = {
  publish: 3,
  ask: 2,
  callForQuotes: 4,
  updateRfq: 2,
  askQuestion: 2,
  answerQuestion: 2,
  quote: 9,
  award: 4,
  match: 4,
  talkAboutMatch: 2,
  talk: 3,
  negotiate: 6,
  work: 8,
  moveRoom: 3,
  dispute: 3,
  offer: 3,
  review: 4,
  resolveDispute: 3,
  reinstate: 3,
  releaseHold: 2,
  settle: 6,
  deliver: 2,
  wait: 2,
  sweep: 2,
  again: 2
}
