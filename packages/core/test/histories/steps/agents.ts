/** Accounts, their keys and their webhooks. */
import { assert } from "@effect/vitest"
import { DateTime, Effect, Redacted } from "effect"
import { Agents, Keys, Store, Webhooks } from "../../../src/index.ts"
import { Deliveries } from "../../../src/services/Deliveries.ts"
import { act } from "../manners.ts"
import type { Step } from "../manners.ts"
import { isReached, mark, oneOf, owns, pick } from "../world.ts"
import type { World } from "../world.ts"
import { by, inSeconds, keys, webhooks, within } from "./common.ts"

/** Keeps what is shown once. */
const keepSecret = (world: World, id: string, secret: string): void =>
  void world.secrets.set(id, [...(world.secrets.get(id) ?? []), secret])

const patterns = [
  "rfq.*",
  "quote.*",
  "deal_room.*",
  "listing.*",
  "match.*",
  "agent.*",
  "request.opened"
] as const

export const agentSteps: { readonly [name: string]: Step } = {
  join: (world, draw) =>
    world.ledger.agents.size >= 6
      ? undefined
      : Effect.gen(function* () {
          const text = mark(world)
          const { value } = yield* (yield* Agents).register({
            handle: `late-${world.ledger.agents.size}-${draw.how}`,
            name: "A late comer",
            email: `${text}@example.com`
          })
          owns(world, text, value.agent.id)
        }),

  rename: (world, draw) =>
    Effect.gen(function* () {
      const text = mark(world)
      const agent = by(world, draw)
      const service = yield* Agents
      const name = draw.how % 3 === 0 ? {} : { name: `Agent ${draw.how}` }
      const patch = { ...name, email: `${text}@example.com` }
      yield* act(world, draw, agent, (options) => service.update(agent, patch, options), agent)
      owns(world, text, agent)
    }),

  closeAccount: (world, draw) =>
    // Few histories are about markets that everybody leaves.
    draw.how % 5 !== 0
      ? undefined
      : Effect.flatMap(Agents, (service) => {
          const agent = by(world, draw)
          return act(world, draw, agent, (options) => service.close(agent, options), agent)
        }),

  createKey: (world, draw) =>
    Effect.gen(function* () {
      const agent = by(world, draw)
      const service = yield* Keys
      const input = draw.how % 2 === 0 ? {} : { expiresAt: yield* inSeconds(1 + draw.how * 20) }
      const { apiKey, key } = yield* act(world, draw, agent, (options) =>
        service.create(agent, input, options)
      )
      keepSecret(world, key.id, apiKey)
    }),

  rotateKey: within(keys, (id, agent, draw, world) =>
    Effect.gen(function* () {
      const service = yield* Keys
      const input = { graceSeconds: draw.how }
      const { apiKey, key } = yield* act(
        world,
        draw,
        agent,
        (options) => service.rotate(agent, id, input, options),
        id
      )
      keepSecret(world, key.id, apiKey)
    })
  ),

  revokeKey: within(keys, (id, agent, draw, world) =>
    Effect.flatMap(Keys, (service) =>
      act(world, draw, agent, (options) => service.revoke(agent, id, options), id)
    )
  ),

  /** A key opens the door until it has expired, is revoked, or its grace is over. Contract §2. */
  knock: (world, draw) => {
    const known = pick(
      [...world.secrets].filter(([id]) => world.ledger.keys.has(id)),
      draw.which
    )
    if (known === undefined) return undefined
    const [id, [secret = ""]] = known
    return Effect.gen(function* () {
      const key = world.ledger.keys.get(id)
      const now = yield* DateTime.now
      const has = (moment: DateTime.Utc | null | undefined) =>
        moment !== null && moment !== undefined && !DateTime.isGreaterThan(moment, now)
      const expected = has(key?.revokedAt)
        ? "key_revoked"
        : has(key?.expiresAt)
          ? "key_expired"
          : key?.agentId
      const found = yield* Effect.match((yield* Keys).authenticate(Redacted.make(secret)), {
        onFailure: ({ code }) => code,
        onSuccess: ({ agentId }) => agentId
      })
      assert.strictEqual(found, expected, `what ${id} opens`)
    })
  },

  hook: (world, draw) =>
    Effect.gen(function* () {
      const agent = by(world, draw)
      const service = yield* Webhooks
      const types = patterns.filter((_, n) => (draw.how >> n) % 2 === 0)
      const input = { url: `https://${agent}.example/`, types: types.length === 0 ? [...patterns] : types }
      const { secret, webhook } = yield* act(world, draw, agent, (options) =>
        service.create(agent, input, options)
      )
      keepSecret(world, webhook.id, secret)
    }),

  rotateHook: within(webhooks, (id, agent, draw, world) =>
    Effect.gen(function* () {
      const service = yield* Webhooks
      const input = { graceSeconds: draw.how }
      const { secret } = yield* act(
        world,
        draw,
        agent,
        (options) => service.rotate(agent, id, input, options),
        id
      )
      keepSecret(world, id, secret)
    })
  ),

  moveHook: within(webhooks, (id, agent, draw, world) =>
    Effect.flatMap(Webhooks, (service) =>
      act(
        world,
        draw,
        agent,
        (options) =>
          draw.how % 4 === 0 ? service.remove(agent, id, options) : service.enable(agent, id, options),
        id
      )
    )
  ),

  replayDelivery: within(webhooks, (id, agent, draw, world) =>
    Effect.gen(function* () {
      const service = yield* Webhooks
      const { items } = yield* service.deliveries(agent, id, { limit: 100 })
      const delivery = pick(items, draw.how)
      if (delivery === undefined) return
      yield* act(
        world,
        draw,
        agent,
        (options) => service.replay(agent, id, delivery.id, options),
        delivery.id
      )
    })
  ),

  deliver: (world, { how }) =>
    Effect.suspend(() => {
      world.mood.receiver = oneOf([204, 204, 204, 500, "refused", 410], how)
      return deliverAll
    }),

  /** A request that was answered within a day is answered in the same way again, whatever has happened since. */
  again: (world, { which }) => {
    const kept = pick(world.kept, which)
    return kept === undefined
      ? undefined
      : Effect.gen(function* () {
          if (!isReached(world, kept.until)) yield* Effect.orDie(kept.again())
        })
  }
}

/** Does once what the courier does all the time. */
export const deliverAll = Effect.gen(function* () {
  const store = yield* Store
  const deliveries = yield* Deliveries
  yield* Effect.repeat(deliveries.fanOut, { while: (isMore) => isMore })
  for (const queue of yield* store.tasks.queuesDue("delivery", yield* DateTime.now, [], 100))
    yield* Effect.repeat(deliveries.deliver(queue), { while: (count) => count > 0 })
})
