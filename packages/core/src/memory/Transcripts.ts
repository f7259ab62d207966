/** The transcripts of the rooms: entries in the order of `seq`, only ever added. */
import { Result } from "effect"
import type { Entry } from "../model/DealRoom.ts"
import { StaleVersion } from "../ports/Store.ts"
import { firstPlace } from "./Order.ts"
import type { Written } from "./Table.ts"

export class Transcripts {
  readonly #ids = new Set<string>()
  readonly #rooms = new Map<string, Array<Entry>>()

  /** Entries behind `afterSeq`. */
  read(roomId: string, afterSeq: number, limit: number): ReadonlyArray<Entry> {
    const entries = this.#rooms.get(roomId) ?? []
    const start = placeBehind(entries, afterSeq)
    return entries.slice(start, start + limit)
  }

  /** Adds an entry. One with the same `seq` means that the writer had not seen the head of the transcript. */
  add(entry: Entry): Written {
    const entries = this.#rooms.get(entry.roomId) ?? []
    const place = placeBehind(entries, entry.seq)
    if (this.#ids.has(entry.id) || entries[place - 1]?.seq === entry.seq) {
      return Result.fail(new StaleVersion({ kind: "entry", id: entry.id }))
    }
    this.#ids.add(entry.id)
    this.#rooms.set(entry.roomId, entries)
    entries.splice(place, 0, entry)
    return Result.succeed(() => {
      this.#ids.delete(entry.id)
      entries.splice(entries.indexOf(entry), 1)
    })
  }
}

const placeBehind = (entries: ReadonlyArray<Entry>, seq: number): number =>
  firstPlace(entries.length, (place) => (entries[place]?.seq ?? seq) <= seq)
