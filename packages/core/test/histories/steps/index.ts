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
  quoteAgain: 4,
  endQuote: 2,
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

/**
 * Steps of which two can be taken at the same time. What is expected of the others is only so as long as nothing else
 * goes on.
 */
export const races: ReadonlyArray<ReadonlyArray<string>> = [
  [
    "quote",
    "quote",
    "reviseQuote",
    "endQuote",
    "award",
    "award",
    "moveRfq",
    "updateRfq",
    "cancelRfq",
    "sweep"
  ],
  ["talkAboutQuote", "award", "negotiate", "askQuestion", "answerQuestion", "endQuote", "sweep"],
  ["negotiate", "negotiate", "offer", "accept", "clearOffer", "say", "moveRoom", "closeAccount", "sweep"],
  ["work", "work", "moveRoom", "dispute", "resolveDispute", "review", "say", "confirmFunding", "sweep"],
  [
    "publish",
    "updateListing",
    "moveListing",
    "archiveListing",
    "match",
    "talkAboutMatch",
    "dismiss",
    "suspend"
  ],
  ["ask", "updateRequest", "endRequest", "talkAboutRequest", "match", "suspend", "reinstate", "closeAccount"],
  ["callForQuotes", "match", "talkAboutListing", "talk", "releaseHold", "refuseHold", "reinstate", "rename"],
  ["createKey", "rotateKey", "revokeKey", "hook", "moveHook", "replayDelivery", "closeAccount", "forget"]
]
