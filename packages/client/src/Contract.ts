/** The calls of the client: those of the contract, with the options of the client. */
import type { CallOf, EndpointTypes, OperationsOf } from "@souk/api"
import type { ChangeOptions, DeleteOptions, ReadOptions, WriteOptions } from "./Options.ts"

export type {
  BodyOf,
  DataOf,
  EventPage,
  EventPageQuery,
  EventQuery,
  QueryOf,
  WireEvent as SoukEvent
} from "@souk/api"

interface Options {
  readonly read: ReadOptions
  readonly write: WriteOptions
  readonly change: ChangeOptions
  readonly delete: DeleteOptions
}

/** An operation as a function: the ids of its path, its input, and options. */
export type Call<E extends EndpointTypes> = CallOf<E, Options>

/** Every group of the contract with its operations, but for the events. */
export type Operations = OperationsOf<Options>
