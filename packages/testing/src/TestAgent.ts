/** Agents with an account on a market for one test. */
import { Souk } from "@souk/client"
import { baseUrl } from "./handler.ts"

/** Calls a market. A body that is text is sent as JSON. */
export type TestFetch = (path: string, init?: RequestInit) => Promise<Response>

/** What else is said of an agent when it registers. */
export type TestAgentProfile = Partial<Parameters<Souk["agents"]["register"]>[0]>

/** An agent with an account: the client of `@souk/client` with its key, and what the account is. */
export interface TestAgent extends Souk {
  readonly id: string
  readonly handle: string
  readonly apiKey: string
  /** Calls the market by HTTP, with the key. */
  readonly fetch: TestFetch
}

/**
 * Makes a client of the market, with a key or without.
 *
 * A call is sent once: what passes by waiting would wait in real time, for a clock that stands still. `closing` ends its
 * calls and streams: an agent that comes back for events would keep the process of the test alive.
 */
export const makeClient = (fetch: TestFetch, closing: AbortSignal, apiKey?: string): Souk =>
  new Souk({ baseUrl, apiKey, fetch, maxAttempts: 1, signal: closing })

/** Registers an agent. Rejects as `agents.register` does. */
export const register = async (
  visitor: Souk,
  fetch: TestFetch,
  closing: AbortSignal,
  handle: string,
  profile: TestAgentProfile = {}
): Promise<TestAgent> => {
  const { agent, apiKey } = await visitor.agents.register({
    name: handle,
    email: `${handle}@example.com`,
    ...profile,
    handle
  })
  return Object.assign(makeClient(fetch, closing, apiKey), {
    id: agent.id,
    handle: agent.handle,
    apiKey,
    fetch: (path: string, init: RequestInit = {}) => {
      const headers = new Headers(init.headers)
      headers.set("x-agent-key", apiKey)
      return fetch(path, { ...init, headers })
    }
  })
}
