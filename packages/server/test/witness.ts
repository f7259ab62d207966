/** Somebody who hears all that a market says: logs of every level, spans, and what its store is given and told. */
import { MemoryStore, Store, Unavailable } from "@souk/core"
import { Cause, Effect, Exit, Layer, Logger, References, Tracer } from "effect"
import { HttpMiddleware } from "effect/http"
import { inspect } from "node:util"

/** Where something was said, and what. */
export interface Utterance {
  readonly where: string
  readonly text: string
}

/** How the store answers: well, or with a failure or defect that tells all that it was given. */
type Mood = "works" | "fails" | "dies"

/** Makes a witness, and the parts that a market is to be opened with for it to hear. */
export const make = () => {
  const logs: Array<Utterance> = []
  const spans: Array<Tracer.NativeSpan> = []
  const stored: Array<Utterance> = []
  const store = { mood: "works" as Mood }

  const tracer = Tracer.make({
    span: (options) => {
      const span = new Tracer.NativeSpan(options)
      spans.push(span)
      return span
    }
  })

  const logger = Logger.make((options) => {
    const ways = [
      Logger.formatJson.log(options),
      Logger.formatLogFmt.log(options),
      inspect(options.message, deep),
      Cause.pretty(options.cause),
      inspect(options.cause, deep)
    ]
    for (const text of ways) logs.push({ where: `a ${options.logLevel} log`, text })
  })

  return {
    loggers: [logger],
    /** Everything is recorded that Effect can record, the headers of requests included. */
    ambient: Layer.mergeAll(
      Layer.succeed(Tracer.Tracer, tracer),
      Layer.succeed(Tracer.MinimumTraceLevel, "All"),
      Layer.succeed(References.MinimumLogLevel, "All"),
      Layer.succeed(HttpMiddleware.TracerHeaderFilter, () => true)
    ),
    store: Layer.effect(
      Store,
      Effect.map(Store, (inner) =>
        overheard(inner, "the store", (where, given) => {
          stored.push({ where, text: inspect(given, deep) })
          const told = `${where} cannot do ${inspect(given, deep)}`
          if (store.mood === "fails") return Effect.fail(Unavailable.because(new Error(told)))
          return store.mood === "dies" ? Effect.die(new Error(told)) : undefined
        })
      )
    ).pipe(Layer.provide(MemoryStore.layer)),
    setMood: (mood: Mood) => {
      store.mood = mood
    },
    logs,
    stored,
    /** What an exporter sends: of a span that failed its cause, of one that succeeded not the result. */
    traces: (): ReadonlyArray<Utterance> =>
      spans.map(({ attributes, events, links, name, status }) => ({
        where: `the span ${name}`,
        text: `${inspect({ name, attributes, events, links }, deep)} ${causeIn(status)}`
      }))
  }
}

// -----------------------------------------------------------------------------

const causeIn = (status: Tracer.SpanStatus): string =>
  status._tag === "Ended" && Exit.isFailure(status.exit) ? Cause.pretty(status.exit.cause) : ""

const deep = { depth: 8, maxArrayLength: null, maxStringLength: null, breakLength: Infinity } as const

/** The same object, but each call of a function in it is told, and answered by the listener if he likes. */
const overheard = <A extends object>(
  target: A,
  path: string,
  listen: (where: string, given: ReadonlyArray<unknown>) => unknown
): A =>
  new Proxy(target, {
    get: (target, name) => {
      const value: unknown = Reflect.get(target, name)
      const where = `${path}.${String(name)}`
      if (typeof value === "function")
        return (...given: ReadonlyArray<unknown>) =>
          listen(where, given) ?? Reflect.apply(value, target, [...given])
      return typeof value === "object" && value !== null && !Effect.isEffect(value)
        ? overheard(value, where, listen)
        : value
    }
  })
