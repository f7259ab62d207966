/** Reading the transcript of a room, page by page from its beginning. Contract §3 Entry, §5. */
import { Effect } from "effect"
import type { Entry } from "../model/DealRoom.ts"
import type { AgentId, DealRoomId } from "../model/Id.ts"
import { pageLimit } from "../model/Page.ts"
import type { CursorPage, PageQuery } from "../model/Page.ts"
import type { Store } from "../ports/Store.ts"
import { readCursor, writeCursor } from "./Cursors.ts"
import { bindingOf } from "./lists.ts"
import { readRoom } from "./rooms.ts"

/** Reads a page of what a participant sees of a transcript. */
export const transcriptPage = Effect.fnUntraced(function* (
  store: Store["Service"],
  viewer: AgentId,
  id: DealRoomId,
  query: PageQuery
) {
  const { progress, stored } = yield* readRoom(store, viewer, id)
  const binding = bindingOf(`entries of ${id}`, viewer, {})
  const after =
    query.cursor === undefined
      ? 0
      : Number(yield* Effect.fromResult(readCursor(binding, query.cursor, seqForm)))
  const limit = query.limit ?? pageLimit.default
  const written = yield* store.rooms.entries(id, after, limit + 1)
  // What time did since the room was last written stands in the transcript as a reader sees it.
  const known = [
    ...written.filter((entry) => entry.seq <= stored.entryCount),
    ...progress.entries.filter((entry) => entry.seq > after)
  ]
  const items = known.slice(0, limit)
  const last = items.at(-1)
  const page: CursorPage<Entry> = {
    items,
    nextCursor: known.length > limit && last !== undefined ? writeCursor(binding, String(last.seq)) : null
  }
  return page
})

const seqForm = /^[1-9][0-9]{0,8}$/u
