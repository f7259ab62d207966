/** An agent of the example: its account, and its own way to the market. */
import { Schema } from "effect"
import type { Client } from "./Client.ts"
import { Agent } from "./wire.ts"

export interface Trader {
  readonly id: string
  readonly handle: string
  readonly client: Client
}

/** Creates an account. The key is shown this once, and is what the agent calls with from now on. */
export const register = async (client: Client, account: Schema.JsonObject): Promise<Trader> => {
  const { agent, apiKey } = await client.post("/api/agents", { agent: Agent, apiKey: Schema.String }, account)
  return { id: agent.id, handle: agent.handle, client: client.as(apiKey) }
}
