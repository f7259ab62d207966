/**
 * Moments and spans as the wire writes them: RFC 3339 in UTC with milliseconds, and whole seconds.
 *
 * Contract §1, "Names".
 */
import { DateTime, Duration, Effect, Option, Schema, SchemaIssue, SchemaTransformation } from "effect"

const rfc3339 =
  /^(\d{4})-(\d{2})-(\d{2})[Tt](?:[01]\d|2[0-3]):\d{2}:\d{2}(\.\d{1,9})?([Zz]|[+-]\d{2}:\d{2})$/u

/** JavaScript rolls 30 February over into March; a deadline that moves by itself is worse than a refusal. */
const isRfc3339 = (text: string): boolean => {
  const [, year, month, day] = rfc3339.exec(text) ?? []
  return (
    day !== undefined &&
    new Date(Date.UTC(Number(year), Number(month) - 1, Number(day))).getUTCDate() === Number(day)
  )
}

/** RFC 3339 has years of four digits: a moment near their end can leave them when it is taken to UTC. */
const isWritable = (moment: DateTime.DateTime): boolean => {
  const year = DateTime.getPartUtc(moment, "year")
  return year >= 0 && year <= 9999
}

/** A moment: any RFC 3339 date-time is read, UTC with milliseconds is written. */
export const Instant = Schema.String.annotate({
  format: "date-time",
  expected: "an RFC 3339 date-time",
  examples: ["2026-01-31T12:00:00.000Z"]
}).pipe(
  Schema.decodeTo(
    Schema.DateTimeUtc,
    SchemaTransformation.transformEffect({
      decode: (text: string, options) => {
        const moment = isRfc3339(text) ? Option.filter(DateTime.make(text), isWritable) : Option.none()
        return Option.isSome(moment)
          ? Effect.succeed(DateTime.toUtc(moment.value))
          : Effect.fail(new SchemaIssue.InvalidValue({ expected: "an RFC 3339 date-time" }, text, options))
      },
      encode: (moment: DateTime.Utc) => Effect.succeed(DateTime.formatIso(moment))
    })
  )
)

export type Instant = DateTime.Utc

/** A whole number of seconds from `min` to `max`, both included. */
export const seconds = (min: number, max: number) =>
  Schema.Int.check(Schema.isBetween({ minimum: min, maximum: max }))

/** The moment a number of seconds after another. */
export const after = (moment: Instant, spanSeconds: number): Instant =>
  DateTime.addDuration(moment, Duration.seconds(spanSeconds))

/** Tells whether a deadline has come: true from the deadline's own millisecond on. */
export const hasPassed = (deadline: Instant, now: Instant): boolean => !DateTime.isGreaterThan(deadline, now)

/** The earlier of two moments. */
export const earlier = (a: Instant, b: Instant): Instant => DateTime.min(a, b)

export const minute = 60
export const hour = 60 * minute
export const day = 24 * hour
