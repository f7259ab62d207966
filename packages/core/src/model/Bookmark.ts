/** A bookmark: how far a worker has read the event feed. It moves in the commit that holds what was made of the events. */
import { Schema } from "effect"
import { stamps } from "./Entity.ts"

/** `id` is the worker's name, `position` that of the last event that it has seen to. */
export const Bookmark = Schema.Struct({ id: Schema.String, position: Schema.Int, ...stamps })
export interface Bookmark extends Schema.Schema.Type<typeof Bookmark> {}
