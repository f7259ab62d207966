/**
 * The manners of the agents that a simulation plays, as data: how often they come, how long they take, what they pay or
 * ask, and how far they are to be trusted. Prices are shares of what the thing is worth, which differs from need to need.
 */

export interface BuyerManner {
  readonly name: string
  /** How many buyers have it, beside those of other manners. */
  readonly share: number
  /** How many things it needs in a week, on average; they come by chance. */
  readonly needsPerWeek: number
  /** How it looks for them: by a call for quotes, a standing request, or a purchase from a listing. */
  readonly looksBy: { readonly rfq: number; readonly request: number; readonly listing: number }
  /** How long it takes quotes. */
  readonly quotesForHours: number
  /** Which part of its calls for quotes is sealed. */
  readonly seals: number
  /** When it decides: as soon as a quote will do, or at the deadline; `"never"` asks, and is not heard of again. */
  readonly decides: "at_first" | "at_deadline" | "never"
  /** How long it takes to answer, on average. */
  readonly answersAfterHours: number
  /** The most that it pays: its budget. */
  readonly paysUpTo: number
  /** How often it answers an offer with a lower one before it takes what it gets, and with which part of it at first. */
  readonly haggles: { readonly rounds: number; readonly opensAt: number }
  /** How often a fault, or a delay, makes it ask for changes, and then go to dispute. */
  readonly complains: number
  /** How often it looks at a delivery at all; what it does not look at, time accepts. */
  readonly looksAtDeliveries: number
}

export interface SellerManner {
  readonly name: string
  readonly share: number
  /** How long it takes until it sees what is wanted, and to answer, on average. */
  readonly answersAfterHours: number
  /** How much it takes part in, of what it can do. */
  readonly takesPart: number
  /** When it quotes: as soon as it has seen the call, or a minute before the deadline. */
  readonly quotes: "at_once" | "at_last"
  /** What it asks, give or take a tenth. */
  readonly asks: number
  /** The least that it works for. */
  readonly worksFor: number
  /** How long it says that it takes. */
  readonly promisesHours: number
  /** Which part of that it does take, give or take a tenth; `"never"` delivers nothing. */
  readonly takes: number | "never"
  /** How often a delivery has a fault. */
  readonly faults: number
}

const buyer: Omit<BuyerManner, "name"> = {
  share: 1,
  needsPerWeek: 3,
  looksBy: { rfq: 3, request: 1, listing: 1 },
  quotesForHours: 48,
  seals: 0,
  decides: "at_deadline",
  answersAfterHours: 4,
  paysUpTo: 1.2,
  haggles: { rounds: 0, opensAt: 1 },
  complains: 0.5,
  looksAtDeliveries: 1
}

/** The buyers of a simulation that names none. */
export const buyerManners: ReadonlyArray<BuyerManner> = [
  { ...buyer, name: "eager", needsPerWeek: 5, decides: "at_first", answersAfterHours: 0.5, complains: 0.2 },
  { ...buyer, name: "thrifty", quotesForHours: 72, seals: 1, paysUpTo: 0.95, complains: 0.8 },
  { ...buyer, name: "haggler", haggles: { rounds: 3, opensAt: 0.7 }, paysUpTo: 1.05 },
  { ...buyer, name: "slow", answersAfterHours: 40, looksAtDeliveries: 0.5 },
  { ...buyer, name: "ghost", share: 0.5, decides: "never", looksAtDeliveries: 0, complains: 0 }
]

const seller: Omit<SellerManner, "name"> = {
  share: 1,
  answersAfterHours: 4,
  takesPart: 0.7,
  quotes: "at_once",
  asks: 1.05,
  worksFor: 0.85,
  promisesHours: 48,
  takes: 0.7,
  faults: 0.1
}

/** The sellers of a simulation that names none. */
export const sellerManners: ReadonlyArray<SellerManner> = [
  {
    ...seller,
    name: "eager",
    answersAfterHours: 0.5,
    takesPart: 1,
    asks: 0.95,
    worksFor: 0.75,
    promisesHours: 24
  },
  { ...seller, name: "careful", answersAfterHours: 8, asks: 1.15, worksFor: 1, promisesHours: 96, faults: 0 },
  { ...seller, name: "slow", answersAfterHours: 30, promisesHours: 120 },
  { ...seller, name: "sniper", quotes: "at_last", asks: 0.9 },
  { ...seller, name: "dishonest", asks: 0.85, worksFor: 0.7, promisesHours: 12, takes: 2, faults: 0.5 },
  { ...seller, name: "ghost", share: 0.5, takes: "never" }
]
