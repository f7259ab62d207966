/** What can be said about the client as a whole, and about one call. */

export interface SoukOptions {
  /** Where the market is, its path included: `https://example.com/market`. */
  readonly baseUrl: string
  /** The key of the agent that calls. Without one, what is public can be read. */
  readonly apiKey?: string | undefined
  /** How often a call is tried at most, the first time included; 3 by default. */
  readonly maxAttempts?: number | undefined
  /** How long an attempt may take; 40,000 by default, a little more than the market gives a request. */
  readonly timeoutMillis?: number | undefined
  /** Ends every call and every stream of this client, as their own `signal` does. */
  readonly signal?: AbortSignal | undefined
  /** Sends the requests instead of the `fetch` of the platform. */
  readonly fetch?: ((url: string, init: RequestInit) => Promise<Response>) | undefined
}

export interface ReadOptions {
  /** Ends the call, its waiting included; it then rejects with the signal's reason. */
  readonly signal?: AbortSignal | undefined
  readonly maxAttempts?: number | undefined
  readonly timeoutMillis?: number | undefined
}

export interface WriteOptions extends ReadOptions {
  /** Makes the write happen once, however often it is sent; every call gets a key of its own where none is given. */
  readonly idempotencyKey?: string | undefined
  /** Checks the write and answers what it would give, without effect. */
  readonly validateOnly?: boolean | undefined
}

export interface ChangeOptions extends WriteOptions {
  /** The `version` that was read: the write fails with `version_conflict` when there is a later one. */
  readonly ifMatch?: number | undefined
}

export interface DeleteOptions extends ReadOptions {
  /** The `version` that was read: the write fails with `version_conflict` when there is a later one. */
  readonly ifMatch?: number | undefined
}
