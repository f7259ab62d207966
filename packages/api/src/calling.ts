/**
 * What those who call the operations share, `@souk/client` and hosts in their own process: paths, queries, lists and the
 * judgement of options. It imports nothing, so that a browser loads no schema for it.
 */
import type { Pages } from "./Calls.ts"

/** What each option must be, and whether a value is that. */
export type OptionRules = Readonly<
  Record<string, readonly [be: string, isRight: (value: unknown) => boolean]>
>

/**
 * Throws a `TypeError` that names the option which makes no sense, or does not exist. What is undefined is not said, and
 * wrong only where it is needed.
 */
export const checkOptions = (options: object, rules: OptionRules, needed?: string): void => {
  for (const name of Object.keys(options))
    if (!Object.hasOwn(rules, name))
      throw new TypeError(`${name} is not an option. There are ${Object.keys(rules).join(", ")}.`)
  for (const [name, [be, isRight]] of Object.entries(rules)) {
    const value: unknown = Reflect.get(options, name)
    if (value === undefined ? name === needed : !isRight(value)) throw new TypeError(`${name} must ${be}.`)
  }
}

/** What a header can hold. `fetch` fails at anything else, with a message that tells it. */
export const isVisible = (value: unknown): boolean => typeof value === "string" && /^[!-~]+$/u.test(value)

/** A signal of any realm: those of a test's surroundings are often not of this one's class. */
export const signalRule: OptionRules = {
  signal: ["be an AbortSignal", (value) => typeof Object(value).addEventListener === "function"]
}

const deleteRules: OptionRules = {
  ...signalRule,
  ifMatch: ["be the version that was read", (value) => Number.isSafeInteger(value) && Number(value) > 0]
}

const writeRules: OptionRules = {
  ...deleteRules,
  idempotencyKey: ["be of visible ASCII characters", isVisible],
  validateOnly: ["be true or false", (value) => typeof value === "boolean"]
}

/** The options of a call. */
export const rulesOf = (method: string): OptionRules =>
  method === "GET" ? signalRule : method === "DELETE" ? deleteRules : writeRules

/** Puts ids into a path of the contract. */
export const pathOf = (path: string, ids: ReadonlyArray<unknown>): string => {
  let next = 0
  return path.replaceAll(/:\w+/gu, (name) => {
    const id = ids[next++]
    // An empty id, or `..`, would make another path of it.
    if (typeof id !== "string" || /^\.{0,2}$/u.test(id))
      throw new TypeError(`${name.slice(1)} must be a text that is not empty.`)
    return encodeURIComponent(id)
  })
}

/** Writes a query as callers give it: lists with commas, and nothing of what is undefined. */
export const searchOf = (query: object): string => {
  const parameters = new URLSearchParams()
  for (const [name, value] of Object.entries(query)) {
    if (value === undefined) continue
    parameters.set(name, Array.isArray(value) ? value.join(",") : String(value))
  }
  return parameters.size === 0 ? "" : `?${parameters}`
}

/** Makes a list of a function that reads the page behind a cursor; the first one has none. */
export const makePages = (
  read: (cursor: string | undefined) => Promise<unknown>,
  items: string
): Pages<unknown, unknown> => {
  let awaited: Promise<unknown> | undefined
  const first = () => (awaited ??= read(undefined))
  const pages = async function* () {
    let cursor: string | undefined
    do {
      const page = await read(cursor)
      yield page
      const next: unknown = Object(page).nextCursor
      cursor = typeof next === "string" ? next : undefined
    } while (cursor !== undefined)
  }
  return {
    // oxlint-disable-next-line unicorn/no-thenable -- awaiting a list gives its first page
    then: (onPage, onError) => first().then(onPage, onError),
    catch: (onError) => first().catch(onError),
    finally: (onEnd) => first().finally(onEnd),
    [Symbol.toStringTag]: "Promise",
    pages,
    async *[Symbol.asyncIterator]() {
      for await (const page of pages()) {
        const found: unknown = Object(page)[items]
        if (Array.isArray(found)) yield* found
      }
    }
  }
}
