/**
 * How a success travels: `{ ok: true, data: { … } }`, with the headers that follow from the data.
 *
 * The envelope is a matter of the wire: a handler returns the data alone, `{ listing }`, and a client gets the data
 * alone. So it is with the headers: `ETag` and `Location` are derived from the entity that the data holds. Contract
 * §1, "Success" and "Entities".
 */
import { Schema, SchemaTransformation } from "effect"
import { HttpApiSchema } from "effect/http-api"

/** The fields of `data`. */
type Fields = { readonly [name: string]: Schema.Codec<unknown, unknown> }

type Data<F extends Fields> = Schema.Struct<F>["Type"]

/** What an entity tag is made of. */
export interface Tagged {
  readonly version: number
  readonly status?: string | undefined
}

/**
 * The entity tag of what a caller is shown: its version, and its status, since time alone can change that.
 *
 * `If-Match` compares the version, `If-None-Match` the whole.
 */
export const entityTag = ({ version, status }: Tagged): string =>
  status === undefined ? `"${version}"` : `"${version}-${status}"`

/** Tells whether an `If-None-Match` names an entity tag, by the weak comparison of RFC 9110 §8.8.3.2. */
export const namesEntityTag = (ifNoneMatch: string, tag: string): boolean =>
  ifNoneMatch.split(",").some((candidate) => {
    const name = candidate.trim().replace(/^W\//u, "")
    return name === "*" || name === tag
  })

const envelope = <F extends Fields>(fields: F) =>
  Schema.Struct({ ok: Schema.Literal(true), data: Schema.Struct(fields) })

/** 200 without headers of its own: pages and other results that are no single entity. */
export const ok = <const F extends Fields>(fields: F) =>
  envelope(fields).pipe(
    Schema.decodeTo(
      Schema.toType(Schema.Struct(fields)),
      SchemaTransformation.transform({
        decode: ({ data }) => data,
        encode: (data) => ({ ok: true as const, data })
      })
    )
  )

/** 200 with one page of a list; `nextCursor` is null on the last page. */
export const page = <const F extends Fields>(fields: F) =>
  ok({ ...fields, nextCursor: Schema.NullOr(Schema.String) })

/** 200 with the `ETag` of one entity of the data. */
export const entity = <const F extends Fields>(fields: F, tagged: (data: Data<F>) => Tagged) =>
  Schema.Struct(fields).pipe(
    HttpApiSchema.encodeToWithHeaders(
      { body: envelope(fields), headers: { etag: Schema.String } },
      {
        decode: ({ body }) => body.data,
        encode: (data) => ({ body: { ok: true as const, data }, headers: { etag: entityTag(tagged(data)) } })
      }
    )
  )

/**
 * 201 with the `ETag` and the `Location` of what came to be, and 200 without a `Location` for `validateOnly`.
 *
 * `location` is a path below the mount path, which the server puts before it.
 */
export const created = <const F extends Fields>(
  fields: F,
  tagged: (data: Data<F>) => Tagged,
  location: (data: Data<F>) => string
) =>
  [
    Schema.Struct(fields).pipe(
      HttpApiSchema.encodeToWithHeaders(
        {
          body: envelope(fields).pipe(HttpApiSchema.status(201)),
          headers: { etag: Schema.String, location: Schema.String }
        },
        {
          decode: ({ body }) => body.data,
          encode: (data) => ({
            body: { ok: true as const, data },
            headers: { etag: entityTag(tagged(data)), location: location(data) }
          })
        }
      )
    ),
    entity(fields, tagged)
  ] as const
