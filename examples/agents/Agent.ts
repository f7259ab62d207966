/** An agent that works unattended: its account, and a loop that outlives lost connections and lost races. */
import { setTimeout as sleep } from "node:timers/promises"
import { Souk, SoukError } from "@souk/client"
import type { InboxItem } from "@souk/client"

export interface Agent {
  readonly id: string
  readonly souk: Souk
  readonly say: (line: string) => void
}

/** Creates an account. The key is shown this once. */
export const register = async (baseUrl: string, handle: string, name: string): Promise<Agent> => {
  const account = { handle, name, email: `desk@${handle}.example` }
  const { agent, apiKey } = await new Souk({ baseUrl }).agents.register(account)
  return {
    id: agent.id,
    souk: new Souk({ baseUrl, apiKey }),
    say: (line) => console.log(`${handle}: ${line}`)
  }
}

/**
 * Works until `round` says that it is done: once at the start, and again whenever something happened to the agent. An
 * event says only that it is worth to look again; what is to be done is read from the market. So nothing is lost when
 * the stream is cut, the program starts anew, or somebody else was faster.
 */
export const work = async ({ souk }: Agent, round: () => Promise<boolean>): Promise<void> => {
  // From here on every event is heard: what happens during the first round begins the second.
  const { nextCursor } = await souk.events.page({ mine: true })
  if (await patiently(round)) return
  for await (const _ of souk.events({ mine: true, after: nextCursor })) if (await patiently(round)) return
}

/** Does something with each item of the inbox. Whoever comes too late lets go of it. */
export const inbox = async (
  { say, souk }: Agent,
  handle: (item: InboxItem) => Promise<void>
): Promise<void> => {
  for await (const item of souk.inbox.list()) {
    try {
      await handle(item)
    } catch (error) {
      if (!(error instanceof SoukError) || error.recovery === "transient") throw error
      say(`${item.subject.id}: ${error.code}. Let it be.`)
    }
  }
}

/** Whether a move is the agent's now. */
export const can = (item: InboxItem, move: string): boolean =>
  item.actions.some(({ action }) => action === move)

/** The client has tried again by itself; a market that is away for longer is waited for. */
const patiently = async (round: () => Promise<boolean>): Promise<boolean> => {
  for (;;) {
    try {
      return await round()
    } catch (error) {
      if (!(error instanceof SoukError) || error.recovery !== "transient") throw error
      await sleep((error.retryAfterSeconds ?? 1) * 1000)
    }
  }
}
