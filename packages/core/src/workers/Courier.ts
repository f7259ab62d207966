/**
 * The courier: makes deliveries of events, and delivers them.
 *
 * It is woken by what happens, and looks up every few seconds what other nodes have left. Each webhook that has
 * something due gets a fiber of its own, so that a slow receiver holds up only itself. When there is not room for all,
 * each gets a turn before one gets the next, and no agent has more than a few of its webhooks served at a time.
 */
import { Cause, DateTime, Duration, Effect, Exit, Layer, Queue } from "effect"
import { WebhookId } from "../model/Id.ts"
import { Store } from "../ports/Store.ts"
import { WebhookSender } from "../ports/WebhookSender.ts"
import { Deliveries } from "../services/Deliveries.ts"
import type { DeliveryOptions } from "../services/Deliveries.ts"
import { EventFeed } from "../services/EventFeed.ts"
import { lookUpEvery } from "./lookUp.ts"

/** How far apart rounds are at least: each reads every active webhook, so a busy market makes them of many events. */
const fanOutApart = Duration.millis(100)
/** While receivers are busy with what is due, what comes due for others is looked up so often. */
const whileBusy = Duration.seconds(1)
const afterFault = Duration.seconds(5)
/** How many webhooks are served at a time: what bounds memory and sockets. */
const servedAtOnce = 500
/** How many of one agent: whoever has many silent receivers waits for them himself. */
const servedOfAgent = 5

/** Delivers until the scope closes, where there is a sender. */
export const layer = ({ lookUpEverySeconds = 60 }: DeliveryOptions = {}): Layer.Layer<
  never,
  never,
  Store | Deliveries | EventFeed
> =>
  Layer.effectDiscard(
    Effect.gen(function* () {
      if ((yield* WebhookSender) === undefined) return
      const lookUp = lookUpEvery(yield* Store, Duration.seconds(lookUpEverySeconds))
      yield* Effect.forkScoped(forever(fanOutRound(lookUp), "Events could not be made into deliveries"))
      yield* Effect.forkScoped(deliverAll(lookUp))
    })
  )

// -----------------------------------------------------------------------------

/** Repeats a round, also after a fault, until it is interrupted. */
const forever = Effect.fnUntraced(function* <E, R>(round: Effect.Effect<unknown, E, R>, fault: string) {
  for (;;) {
    const exit = yield* Effect.exit(round)
    if (Exit.isSuccess(exit)) continue
    if (Cause.hasInterruptsOnly(exit.cause)) return
    yield* Effect.logWarning(`${fault}; it is tried again`, exit.cause)
    yield* Effect.sleep(afterFault)
  }
})

/** Makes deliveries of all that has happened, and waits for more to happen. */
const fanOutRound = Effect.fnUntraced(function* (lookUp: Duration.Duration) {
  const deliveries = yield* Deliveries
  const feed = yield* EventFeed
  const begun = yield* DateTime.now
  const { events } = yield* feed.subscribe(() => true)
  yield* Effect.repeat(deliveries.fanOut, { while: (isMore) => isMore })
  yield* Effect.timeoutOption(Effect.ignore(Queue.takeAll(events)), lookUp)
  const spent = DateTime.distance(begun, yield* DateTime.now)
  if (Duration.isLessThan(spent, fanOutApart)) yield* Effect.sleep(Duration.subtract(fanOutApart, spent))
}, Effect.scoped)

const deliverAll = Effect.fnUntraced(function* (lookUp: Duration.Duration) {
  const store = yield* Store
  const deliveries = yield* Deliveries
  /** What is served now, with whose it is. */
  const busy = new Map<string, string>()
  /** What has had its turn since everything due had one. */
  const served = new Set<string>()

  const ownerOf = (queue: string) =>
    Effect.map(store.webhooks.byId(WebhookId.make(queue)), (webhook) => webhook?.agentId ?? queue)

  const countOf = (owner: string): number => [...busy.values()].filter((other) => other === owner).length

  /** Delivers what is due in a queue, up to a few. What others are at is left to them for a moment. */
  const serve = (queue: string) =>
    deliveries.deliver(queue).pipe(
      Effect.catchCause((cause) =>
        Effect.as(Effect.logWarning(`Webhook ${queue} could not be served; it is tried again`, cause), 0)
      ),
      Effect.flatMap((moved) => (moved === 0 ? Effect.sleep(whileBusy) : Effect.void)),
      Effect.ensuring(
        Effect.andThen(
          Effect.sync(() => busy.delete(queue)),
          deliveries.wake
        )
      )
    )

  const wait = Effect.gen(function* () {
    const now = yield* DateTime.now
    const next = yield* store.tasks.next("delivery")
    const isLate = next !== undefined && DateTime.isLessThanOrEqualTo(next, now)
    const left = next === undefined ? lookUp : isLate ? whileBusy : DateTime.distance(now, next)
    yield* Effect.timeoutOption(deliveries.awaitWake, Duration.min(left, lookUp))
  })

  const round = Effect.gen(function* () {
    const now = yield* DateTime.now
    /** What waits since its agent has enough under way. */
    const held = new Set<string>()
    while (busy.size < servedAtOnce) {
      const except = [...busy.keys(), ...served, ...held]
      const due = yield* store.tasks.queuesDue("delivery", now, except, servedAtOnce - busy.size)
      if (due.length === 0 && served.size === 0) break
      if (due.length === 0) served.clear()
      for (const queue of due) {
        const owner = yield* ownerOf(queue)
        if (countOf(owner) >= servedOfAgent) {
          held.add(queue)
          continue
        }
        busy.set(queue, owner)
        served.add(queue)
        yield* Effect.forkChild(serve(queue))
      }
    }
    yield* wait
  })

  yield* forever(round, "Deliveries could not be looked up")
})
