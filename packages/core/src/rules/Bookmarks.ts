/** The rules of bookmarks: they are written anew wherever they lie, so that of two who move one at once one is too late. */
import type { Bookmark } from "../model/Bookmark.ts"
import type { Write } from "../model/Change.ts"
import { born, revised } from "../model/Entity.ts"
import type { Instant } from "../model/Instant.ts"

/** Moves a bookmark, or lays it where there is none. */
export const moveBookmark = (
  id: string,
  bookmark: Bookmark | undefined,
  position: number,
  now: Instant
): Write => ({
  kind: "bookmark",
  value: bookmark === undefined ? { id, position, ...born(now) } : revised(bookmark, { position }, now),
  replaces: bookmark?.version ?? null
})
