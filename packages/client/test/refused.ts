import { assert } from "@effect/vitest"

/** Waits for a promise to reject with an error of a class, and gives the error. */
export const refused = async <E>(
  Class: abstract new (...args: never) => E,
  promise: PromiseLike<unknown>
): Promise<E> => {
  const error = await promise.then(
    () => "nothing",
    (reason: unknown) => reason
  )
  if (error instanceof Class) return error
  return assert.fail(`rejected with ${String(error)}`)
}
