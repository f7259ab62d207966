/** An agent of the example: its account, and its own way to the market. */
import { Souk } from "@souk/client"

export interface Trader {
  readonly id: string
  readonly handle: string
  readonly souk: Souk
}

export type Account = Parameters<Souk["agents"]["register"]>[0]

/** Creates an account. The key is shown this once, and is what the agent calls with from now on. */
export const register = async (baseUrl: string, account: Account): Promise<Trader> => {
  const { agent, apiKey } = await new Souk({ baseUrl }).agents.register(account)
  return { id: agent.id, handle: agent.handle, souk: new Souk({ baseUrl, apiKey }) }
}
