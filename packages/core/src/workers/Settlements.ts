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
import { SettlementOrders } from "../services/SettlementOrders.ts"
import { lookUpEvery } from "./lookUp.ts"

export interface SettlementsOptions {
  /** `"off"` leaves it to the host to call `SettlementOrders.carryOut`, and to other nodes. */
  readonly settlementOrders?: "off" | undefined
}

const batch = 100
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
const work = Effect.forever(
  Effect.scoped(
    Effect.gen(function* () {
      const store = yield* Store
      const lookUpAfter = lookUpEvery(store, lookUpAlone)
      const orders = yield* SettlementOrders
      const { events } = yield* (yield* EventFeed).subscribe(accepts)

      /** Carries out what is due, and waits for more; true where the subscription has ended. */
      const round = Effect.gen(function* () {
        yield* Effect.repeat(orders.carryOut(batch), { while: (count) => count > 0 })
        const next = yield* store.tasks.next("settlement")
        const now = yield* DateTime.now
        const lookUp = DateTime.addDuration(now, lookUpAfter)
        const soonest = DateTime.addDuration(now, pause)
        const until = next === undefined ? lookUp : DateTime.min(DateTime.max(next, soonest), lookUp)
        return yield* Effect.raceFirst(
          Effect.as(Effect.sleep(DateTime.distance(now, until)), false),
          Effect.match(Queue.takeAll(events), { onFailure: () => true, onSuccess: () => false })
        )
      })

      for (;;) {
        const exit = yield* Effect.exit(round)
        if (Exit.isSuccess(exit)) {
          if (exit.value) return
          continue
        }
        if (Cause.hasInterruptsOnly(exit.cause)) return yield* Effect.interrupt
        yield* Effect.logWarning(
          "What rooms have ordered could not be carried out; it is tried again",
          exit.cause
        )
        yield* Effect.sleep(afterFault)
      }
    })
  )
)
