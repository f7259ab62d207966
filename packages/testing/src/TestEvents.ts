/** What has happened in a market, for a test to look at: every event, whoever may hear it. */
import type { SoukEvent } from "@souk/client"
import { Event } from "@souk/core"
import type { Commit, EventPattern, EventType, NewEvent } from "@souk/core"
import { Schema } from "effect"
import { isOfType } from "./eventTypes.ts"
import type { TypesOf } from "./eventTypes.ts"
import type { Stillness } from "./Stillness.ts"
import { makeTakings } from "./Takings.ts"

/** Which events are meant; every field that is given must hold. */
export interface TestEventQuery {
  readonly where?: (event: SoukEvent) => boolean
  /** An agent, of `market.agent`: only what it may hear. */
  readonly as?: { readonly id: string; readonly handle: string }
}

export interface TakeEventOptions extends TestEventQuery {
  /** How long to wait on while nothing goes on in the market, in milliseconds of real time; 0 by default. */
  readonly withinMillis?: number
}

/** An event of the types that a pattern stands for. */
export type TestEventOf<P extends EventPattern> = SoukEvent & { readonly type: TypesOf<P> }

export interface TestEvents {
  /**
   * Gives the oldest event of a type that was not taken yet, and waits for it while anything goes on. `rfq.*` stands for
   * all of an RFQ's.
   *
   * **Details**
   *
   * Each event is given once to the test, and once for each agent that is named by `as`. Where none comes, it rejects
   * with an error that lists what did, some milliseconds after the market has come to rest: on a clock that stands
   * still nothing more can come.
   */
  readonly take: <P extends EventPattern>(type: P, options?: TakeEventOptions) => Promise<TestEventOf<P>>
  /** Gives all events so far, oldest first, taken or not. */
  readonly all: (query?: TestEventQuery) => ReadonlyArray<SoukEvent>
  /** Gives the types of all events so far, oldest first. */
  readonly types: (query?: TestEventQuery) => ReadonlyArray<EventType>
}

export interface EventRecorder extends TestEvents {
  /** Notes what a commit tells of. */
  readonly note: (commit: Pick<Commit, "events">) => void
}

/** Starts with no events. `now` is the time of the market. */
export const makeEventRecorder = (stillness: Stillness, now: () => Date): EventRecorder => {
  const { add, all, take } = makeTakings<Recorded>(stillness, lineOf)

  const among =
    ({ as, where = () => true }: TestEventQuery) =>
    ({ event, stored: { audience } }: Recorded): boolean =>
      (as === undefined || audience === "public" || audience.some((id) => id === as.id)) && where(event)

  const allOf = (query: TestEventQuery = {}) =>
    all()
      .filter(among(query))
      .map(({ event }) => event)

  return {
    take: async (type, options = {}) => {
      const { as, withinMillis } = options
      const isWanted = isOfType(type)
      const isAmong = among(options)
      const { event } = await take({
        matches: (item): item is Recorded & { readonly event: TestEventOf<typeof type> } =>
          isWanted(item.event) && isAmong(item),
        taker: as?.id ?? "",
        withinMillis,
        missing: () =>
          `No ${type} has come${as === undefined ? "" : ` for ${as.handle}`}` +
          `${options.where === undefined ? "" : " that is as wanted"}, and nothing goes on any more. ` +
          `The clock stands at ${now().toISOString()}.`
      })
      return event
    },
    all: allOf,
    types: (query) => allOf(query).map(({ type }) => type),
    note: ({ events }) => {
      for (const stored of events) add({ stored, event: encodeEvent(stored.event) })
    }
  }
}

// -----------------------------------------------------------------------------

interface Recorded {
  readonly stored: NewEvent
  readonly event: SoukEvent
}

/** As the stream writes it. */
const encodeEvent = Schema.encodeSync(Event)

const lineOf = ({ event: { at, subject, type } }: Recorded): string => `${at} ${type} ${subject.id}`
