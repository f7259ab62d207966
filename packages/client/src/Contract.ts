/**
 * The calls of the client, derived from the contract by types alone: nothing of it is there at run time.
 *
 * Values are what the wire has: ids are strings, moments RFC 3339 texts, money decimal texts.
 */
import type { SoukApi } from "@souk/api"
import type { ChangeOptions, DeleteOptions, ReadOptions, WriteOptions } from "./Options.ts"
import type { Pages } from "./Pages.ts"

type Groups = (typeof SoukApi)["groups"]

/** What the types of an operation are read from. */
interface Endpoint {
  readonly identifier: string
  readonly method: string
  readonly path: string
  readonly "~Query": unknown
  readonly "~Payload": unknown
  readonly "~Headers": unknown
  readonly "~Success": unknown
}

/** The wire form behind the codec that an endpoint puts around a schema. */
type Encoded<S> = S extends { readonly schema: { readonly Encoded: infer E } } ? E : never

type Decoded<S> = S extends { readonly Type: infer T } ? T : never

/** The names of the fields that are known one by one: none for the record of an operation without any. */
type Names<T> = T extends unknown ? (string extends keyof T ? never : keyof T) : never

// -----------------------------------------------------------------------------
// What goes in
// -----------------------------------------------------------------------------

type Params<Path extends string> = Path extends `${string}/:${string}/:${string}`
  ? [id: string, innerId: string]
  : Path extends `${string}/:${string}`
    ? [id: string]
    : []

/** A parameter as one writes it: numbers, flags and lists as such, all else as text. */
type Parameter<T, E> = T extends number | boolean | ReadonlyArray<string> ? T : E

/** The parameters of a list. */
export type QueryOf<E extends Endpoint> = Query<Decoded<E["~Query"]>, Encoded<E["~Query"]>>

type Query<T, W> = {
  readonly [K in keyof T & keyof W]: Parameter<Exclude<T[K], undefined>, Exclude<W[K], undefined>> | undefined
} extends infer Q
  ? { readonly [K in keyof Q]?: Q[K] }
  : never

/** The body of a write. */
export type BodyOf<E extends Endpoint> = Exclude<Encoded<E["~Payload"]>, undefined>

type Optional<T> = {} extends T ? [input?: T] : [input: T]

type Input<E extends Endpoint> = E["method"] extends "GET"
  ? [Names<Decoded<E["~Query"]>>] extends [never]
    ? []
    : Optional<QueryOf<E>>
  : [Names<BodyOf<E>>] extends [never]
    ? []
    : Optional<BodyOf<E>>

type Options<E extends Endpoint> = E["method"] extends "GET"
  ? ReadOptions
  : E["method"] extends "DELETE"
    ? DeleteOptions
    : "if-match" extends Names<Decoded<E["~Headers"]>>
      ? ChangeOptions
      : WriteOptions

// -----------------------------------------------------------------------------
// What comes out
// -----------------------------------------------------------------------------

type Data<Reply> = Reply extends { readonly body: { readonly data: infer D } }
  ? D
  : Reply extends { readonly data: infer D }
    ? D
    : never

/** What an operation answers: the `data` of the reply. */
export type DataOf<E extends Endpoint> = Data<Encoded<E["~Success"]>>

type Item<D> = { [K in keyof D]: D[K] extends ReadonlyArray<infer A> ? A : never }[keyof D]

type Result<D> = [D] extends [{ readonly nextCursor: string | null }] ? Pages<D, Item<D>> : Promise<D>

/** An operation as a function: the ids of its path, its input, and options. */
export type Call<E extends Endpoint> = (
  ...args: [...Params<E["path"]>, ...Input<E>, options?: Options<E>]
) => Result<DataOf<E>>

// -----------------------------------------------------------------------------
// All of it
// -----------------------------------------------------------------------------

type Calls<Endpoints> = {
  readonly [K in keyof Endpoints]: Endpoints[K] extends Endpoint ? Call<Endpoints[K]> : never
}

/** The operations of a group. An operation that is called like its group is the group itself: `souk.search({ q })`. */
type Namespace<Name, Endpoints> = Calls<Omit<Endpoints, Extract<Name, keyof Endpoints>>> &
  (Name extends keyof Endpoints ? Calls<Endpoints>[Name] : unknown)

/** Every group of the contract with its operations, but for the events. */
export type Operations = {
  readonly [G in Exclude<keyof Groups, "events">]: Namespace<G, Groups[G]["endpoints"]>
}

type Subscribe = Groups["events"]["endpoints"]["subscribe"]

/** Which events to follow, and from where. */
export type EventQuery = Omit<QueryOf<Subscribe>, "limit">

/** Which events to read as a page. */
export type EventPageQuery = QueryOf<Subscribe>

/** Events as a page: `nextCursor` is the next `after`; `reset` says that events were missed. */
export type EventPage = DataOf<Subscribe>

/** An event of the market. */
export type SoukEvent = EventPage["events"][number]
