import { assert, describe, it } from "@effect/vitest"
import { MemoryStore } from "@souk/core"
import { createMarketplace } from "../src/index.ts"
import type { HostEvent, Marketplace, MarketplaceOptions } from "../src/index.ts"

const open = (onEvent: NonNullable<MarketplaceOptions["onEvent"]>) =>
  createMarketplace({ store: MemoryStore.layer, onEvent })

const join = ({ api }: Marketplace, handle: string) =>
  api.operator.registerAgent({ handle, name: handle, email: `${handle}@example.com` })

/** Waits until a condition holds. */
const until = async (holds: () => boolean) => {
  for (let tries = 0; !holds(); tries++) {
    if (tries === 500) throw new Error("It never was")
    await new Promise((resolve) => setTimeout(resolve, 5))
  }
}

describe("onEvent", () => {
  it("is told everything in order, whoever it is for, with a cursor to go on from", async () => {
    const heard: Array<HostEvent> = []
    await using market = open((event) => void heard.push(event))
    const { agent } = await join(market, "atlas")
    await market.api.as(agent.id).keys.create({ label: "robot" })
    await until(() => heard.length === 3)
    assert.deepStrictEqual(
      heard.map(({ audience, type }) => [type, audience]),
      [
        ["agent.registered", "public"],
        ["key.created", [agent.id]],
        ["key.created", [agent.id]]
      ]
    )
    for await (const event of market.api.operator.events({ after: heard[1]?.cursor })) {
      assert.deepStrictEqual(event, heard[2])
      break
    }
  })

  it("is waited for, and holds up nobody", async () => {
    const heard: Array<string> = []
    let release = () => {}
    const gate = new Promise<void>((resolve) => (release = resolve))
    await using market = open(async ({ subject }) => {
      heard.push(`begin ${subject.kind}`)
      await gate
      heard.push(`end ${subject.kind}`)
    })
    await join(market, "atlas")
    await join(market, "borealis")
    await until(() => heard.length > 0)
    assert.deepStrictEqual(heard, ["begin agent"])
    release()
    await until(() => heard.length === 8)
    assert.deepStrictEqual(heard.slice(0, 4), ["begin agent", "end agent", "begin key", "end key"])
  })

  it("is told the next event when it fails", async () => {
    const heard: Array<string> = []
    await using market = open(({ type }) => {
      heard.push(type)
      throw new Error("The mail server is away")
    })
    await join(market, "atlas")
    await until(() => heard.length === 2)
    assert.deepStrictEqual(heard, ["agent.registered", "key.created"])
  })

  it("keeps nobody from closing when it hangs", async () => {
    let called = false
    const market = open(() => {
      called = true
      return new Promise(() => {})
    })
    await join(market, "atlas")
    await until(() => called)
    const started = performance.now()
    await market.close()
    assert.isBelow(performance.now() - started, 2000)
  })

  it("can write to the market", async () => {
    let done = false
    await using market: Marketplace = open(async ({ actorId, type }) => {
      if (type !== "agent.registered" || actorId === undefined) return
      await market.api.operator.suspend(actorId, "We look at newcomers first.")
      done = true
    })
    const { agent } = await join(market, "atlas")
    await until(() => done)
    assert.strictEqual((await market.api.as(agent.id).agents.me()).agent.status, "suspended")
  })
})
