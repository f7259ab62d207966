/**
 * The operations of the contract as calls, for clients and for hosts: derived from it by types alone, so that nothing of
 * it is there at run time.
 *
 * Values are what the wire has: ids are strings, moments RFC 3339 texts, money decimal texts.
 */
import type { SoukApi } from "./Api.ts"

/** What can be said about a call, by its kind: a read, a write, a change of what exists, a deletion. */
export interface CallOptions {
  readonly read: unknown
  readonly write: unknown
  readonly change: unknown
  readonly delete: unknown
}

/**
 * A list: one page for those who await it, every item for those who iterate.
 *
 * `await souk.listings.list()` is the first page as the market answers it, `{ listings, nextCursor }`;
 * `for await (const listing of souk.listings.list())` reads page after page as items are taken. Nothing is asked
 * before one of them is done. It is a whole promise, with `catch` and `finally`, that asks once however often it is
 * awaited; each iteration asks anew.
 */
export interface Pages<Page, Item> extends Promise<Page>, AsyncIterable<Item> {
  /** Iterates over the pages instead of their items. */
  readonly pages: () => AsyncIterable<Page>
}

type Groups = (typeof SoukApi)["groups"]

/** What the types of an operation are read from. */
export interface EndpointTypes {
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
export type QueryOf<E extends EndpointTypes> = Query<Decoded<E["~Query"]>, Encoded<E["~Query"]>>

type Query<T, W> = {
  readonly [K in keyof T & keyof W]: Parameter<Exclude<T[K], undefined>, Exclude<W[K], undefined>> | undefined
} extends infer Q
  ? { readonly [K in keyof Q]?: Q[K] }
  : never

/** The body of a write. */
export type BodyOf<E extends EndpointTypes> = Exclude<Encoded<E["~Payload"]>, undefined>

type Optional<T> = {} extends T ? [input?: T] : [input: T]

type Input<E extends EndpointTypes> = E["method"] extends "GET"
  ? [Names<Decoded<E["~Query"]>>] extends [never]
    ? []
    : Optional<QueryOf<E>>
  : [Names<BodyOf<E>>] extends [never]
    ? []
    : Optional<BodyOf<E>>

type Options<E extends EndpointTypes, O extends CallOptions> = E["method"] extends "GET"
  ? O["read"]
  : E["method"] extends "DELETE"
    ? O["delete"]
    : "if-match" extends Names<Decoded<E["~Headers"]>>
      ? O["change"]
      : O["write"]

// -----------------------------------------------------------------------------
// What comes out
// -----------------------------------------------------------------------------

type Data<Reply> = Reply extends { readonly body: { readonly data: infer D } }
  ? D
  : Reply extends { readonly data: infer D }
    ? D
    : never

/** What an operation answers: the `data` of the reply. */
export type DataOf<E extends EndpointTypes> = Data<Encoded<E["~Success"]>>

type Item<D> = { [K in keyof D]: D[K] extends ReadonlyArray<infer A> ? A : never }[keyof D]

type Result<D> = [D] extends [{ readonly nextCursor: string | null }] ? Pages<D, Item<D>> : Promise<D>

/** An operation as a function: the ids of its path, its input, and options. */
export type CallOf<E extends EndpointTypes, O extends CallOptions> = (
  ...args: [...Params<E["path"]>, ...Input<E>, options?: Options<E, O>]
) => Result<DataOf<E>>

// -----------------------------------------------------------------------------
// All of it
// -----------------------------------------------------------------------------

type Calls<Endpoints, O extends CallOptions> = {
  readonly [K in keyof Endpoints]: Endpoints[K] extends EndpointTypes ? CallOf<Endpoints[K], O> : never
}

/** The operations of a group. An operation that is called like its group is the group itself: `souk.search({ q })`. */
type Namespace<Name, Endpoints, O extends CallOptions> = Calls<
  Omit<Endpoints, Extract<Name, keyof Endpoints>>,
  O
> &
  (Name extends keyof Endpoints ? Calls<Endpoints, O>[Name] : unknown)

/** Every group of the contract with its operations, but for the events. */
export type OperationsOf<O extends CallOptions> = {
  readonly [G in Exclude<keyof Groups, "events">]: Namespace<G, Groups[G]["endpoints"], O>
}

type Subscribe = Groups["events"]["endpoints"]["subscribe"]

/** Which events to follow, and from where. */
export type EventQuery = Omit<QueryOf<Subscribe>, "limit">

/** Which events to read as a page. */
export type EventPageQuery = QueryOf<Subscribe>

/** Events as a page: `nextCursor` is the next `after`; `reset` says that events were missed. */
export type EventPage = DataOf<Subscribe>

/** An event of the market. */
export type WireEvent = EventPage["events"][number]
