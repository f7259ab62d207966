/**
 * Documents: entities as JSON, read and written without the model's checks, so that what was valid when it was
 * written stays readable, and changeable, when a limit is tightened later.
 */
import { Effect, Result, Schema } from "effect"
import type { SqlError } from "effect/sql"

/** Writes a value as JSON, and reads it from JSON text. */
export interface Document<in out A> {
  readonly encode: (value: A) => Result.Result<unknown, Schema.SchemaError>
  readonly decode: (text: unknown) => Result.Result<A, Schema.SchemaError>
}

/** A row that holds a document. */
export interface DocumentRow {
  readonly id: string
  readonly document: unknown
}

/** Makes the document of a schema. */
export const make = <S extends Schema.ConstraintCodec<unknown, unknown>>(schema: S): Document<S["Type"]> => {
  const codec = Schema.toCodecJson(schema)
  return {
    encode: Schema.encodeResult(codec, { disableChecks: true }),
    decode: Schema.decodeUnknownResult(Schema.fromJsonString(codec), { disableChecks: true })
  }
}

/** Runs a query and decodes each of its rows; a row that cannot be decoded is a failure too. */
export const read = <Row extends { readonly id: string }, A>(
  query: Effect.Effect<ReadonlyArray<Row>, SqlError.SqlError>,
  decode: (row: Row) => Result.Result<A, Schema.SchemaError>
): Effect.Effect<ReadonlyArray<A>, SqlError.SqlError | Error> =>
  Effect.flatMap(query, (rows) => Effect.fromResult(decodeAll(rows, decode)))

// -----------------------------------------------------------------------------

const decodeAll = <Row extends { readonly id: string }, A>(
  rows: ReadonlyArray<Row>,
  decode: (row: Row) => Result.Result<A, Schema.SchemaError>
): Result.Result<ReadonlyArray<A>, Error> => {
  const values: Array<A> = []
  for (const row of rows) {
    const value = decode(row)
    if (Result.isFailure(value)) {
      // The schema's error knows the field, but not whose it is.
      return Result.fail(
        new Error(`What the database holds of ${row.id} cannot be read.`, { cause: value.failure })
      )
    }
    values.push(value.success)
  }
  return Result.succeed(values)
}
