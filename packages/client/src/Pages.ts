import type { Pages } from "@souk/api"
import { fieldOf } from "./Reply.ts"

export type { Pages } from "@souk/api"

/** Makes a list of a function that reads the page behind a cursor; the first one has none. */
export const makePages = (
  read: (cursor: string | undefined) => Promise<unknown>,
  items: string
): Pages<unknown, unknown> => {
  const pages = async function* () {
    let cursor: string | undefined
    do {
      const page = await read(cursor)
      yield page
      const next = fieldOf(page, "nextCursor")
      cursor = typeof next === "string" ? next : undefined
    } while (cursor !== undefined)
  }
  return {
    // oxlint-disable-next-line unicorn/no-thenable -- awaiting a list gives its first page
    then: (onPage, onError) => read(undefined).then(onPage, onError),
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) {
        const found = fieldOf(page, items)
        if (Array.isArray(found)) yield* found
      }
    }
  }
}
