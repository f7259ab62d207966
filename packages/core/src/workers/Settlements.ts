/**
 * The worker that carries out what rooms have ordered of the host's settlement, as soon as it is due.
 *
 * It is woken by the events that tell of the moves which order something, on whatever node they were made, and looks up
 * every few seconds what another node has left.
 */
import { Cause, DateTime, Duration, Effect, Exit, Layer, Queue } from "effect"
import type { StoredEvent } from "../model/Event.ts"
import { Settlement } from "../ports/Settlement.ts"
import { Store } from "../ports/Store.ts"
import { EventFeed } from "../services/EventFeed.ts"
import type { Subscription } from "../services/EventFeed.ts"
import { SettlementOrders } from "../services/SettlementOrders.ts"
import { lookUpEvery } from "./lookUp.ts"

export interface SettlementsOptions {
  /** `"off"` leaves it to the host to call `SettlementOrders.carryOut`, and to other nodes. */
  readonly settlementOrders?: "off" | undefined
}

/** How many rooms are settled at a time: a bank that hangs on one holds up no other. */
const servedAtOnce = 100
const lookUpAlone = Duration.minutes(1)
/** What is due and could not be taken, since it is broken or somebody else's, is not asked for at once again. */
const pause = Duration.seconds(1)
const afterFault = Duration.seconds(5)

/** Carries out orders until the scope closes; nothing where the host settles nothing. */
export const layer = ({ settlementOrders }: SettlementsOptions = {}): Layer.Layer<
  never,
  never,
  Store | EventFeed | SettlementOrders
> =>
  settlementOrders === "off"
    ? Layer.empty
    : Layer.effectDiscard(
        Effect.flatMap(Settlement, (settlement) =>
          settlement === undefined ? Effect.void : Effect.forkScoped(work)
        )
      )

// -----------------------------------------------------------------------------

const ordering: ReadonlyArray<string> = [
  "deal_room.agreed",
  "deal_room.completed",
  "deal_room.cancelled",
  "deal_room.expired",
  "deal_room.resolved"
]

const accepts = ({ event }: StoredEvent): boolean => ordering.includes(event.type)

/** Works until the subscription ends because too many events came at once; then it begins anew. */
const work = Effect.gen(function* () {
  const store = yield* Store
  const lookUpAfter = lookUpEvery(store, lookUpAlone)
  const orders = yield* SettlementOrders
  const feed = yield* EventFeed
  const busy = new Set<string>()
  const left = yield* Queue.sliding<void>(1)

  /** Carries out what a room has ordered. What others are at is left to them for a moment. */
  const serve = (queue: string) =>
    orders.carryOutOf(queue).pipe(
      Effect.catchCause((cause) =>
        Effect.as(Effect.logWarning(`${queue} could not be settled; it is tried again`, cause), false)
      ),
      Effect.flatMap((isGiven) => (isGiven ? Effect.void : Effect.sleep(pause))),
      Effect.ensuring(
        Effect.andThen(
          Effect.sync(() => busy.delete(queue)),
          Queue.offer(left, undefined)
        )
      )
    )

  const begin = Effect.gen(function* () {
    const room = servedAtOnce - busy.size
    const now = yield* DateTime.now
    const due = room === 0 ? [] : yield* store.tasks.queuesDue("settlement", now, [...busy], room)
    for (const queue of due) {
      busy.add(queue)
      yield* Effect.forkChild(serve(queue), { startImmediately: true })
    }
  })

  /** Waits for more to be due; true where the subscription has ended. */
  const wait = Effect.fnUntraced(function* (events: Subscription["events"]) {
    const next = yield* store.tasks.next("settlement")
    const now = yield* DateTime.now
    const lookUp = DateTime.addDuration(now, lookUpAfter)
    const soonest = DateTime.addDuration(now, pause)
    const until = next === undefined ? lookUp : DateTime.min(DateTime.max(next, soonest), lookUp)
    return yield* Effect.raceAllFirst([
      Effect.as(Effect.sleep(DateTime.distance(now, until)), false),
      Effect.as(Queue.take(left), false),
      Effect.match(Queue.takeAll(events), { onFailure: () => true, onSuccess: () => false })
    ])
  })

  const rounds = Effect.gen(function* () {
    const { events } = yield* feed.subscribe(accepts)
    yield* Effect.repeat(Effect.andThen(begin, wait(events)), { until: (hasEnded) => hasEnded })
  }).pipe(Effect.scoped)

  for (;;) {
    const exit = yield* Effect.exit(rounds)
    if (Exit.isSuccess(exit)) continue
    if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
    yield* Effect.logWarning(
      "What rooms have ordered could not be carried out; it is tried again",
      exit.cause
    )
    yield* Effect.sleep(afterFault)
  }
})
