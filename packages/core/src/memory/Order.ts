/**
 * Ids in ascending order, read from the newest down.
 *
 * Ids sort by the moment they were made, so nearly every insert is at the end of its array.
 */

/** Finds the first of `length` places for which `precedes` no longer holds, by halving. */
export const firstPlace = (length: number, precedes: (place: number) => boolean): number => {
  let low = 0
  let high = length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (precedes(middle)) low = middle + 1
    else high = middle
  }
  return low
}

const placeOf = (ids: ReadonlyArray<string>, id: string): number =>
  firstPlace(ids.length, (place) => (ids[place] ?? id) < id)

/** Puts an id in its place, once. */
export const addId = (ids: Array<string>, id: string): void => {
  const place = placeOf(ids, id)
  if (ids[place] !== id) ids.splice(place, 0, id)
}

/** Takes an id out. */
export const removeId = (ids: Array<string>, id: string): void => {
  const place = placeOf(ids, id)
  if (ids[place] === id) ids.splice(place, 1)
}

/** Walks several orders as one, the greatest id first, from below `before`. */
export function* newestFirst(
  orders: ReadonlyArray<ReadonlyArray<string>>,
  before: string | undefined
): Generator<string> {
  const cursors = orders.map((ids) => ({
    ids,
    next: (before === undefined ? ids.length : placeOf(ids, before)) - 1
  }))
  for (;;) {
    let newest: string | undefined
    for (const { ids, next } of cursors) {
      const id = ids[next]
      if (id !== undefined && (newest === undefined || id > newest)) newest = id
    }
    if (newest === undefined) return
    for (const cursor of cursors) if (cursor.ids[cursor.next] === newest) cursor.next -= 1
    yield newest
  }
}
