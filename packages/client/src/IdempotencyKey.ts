/** Makes a key that nobody guesses. `crypto.randomUUID` is missing from pages without TLS, this is not. */
export const newIdempotencyKey = (): string =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join(
    ""
  )
