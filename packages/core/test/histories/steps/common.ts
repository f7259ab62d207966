/** Whom and what a step draws. */
import { DateTime, Effect } from "effect"
import type { AgentId } from "../../../src/index.ts"
import type { Draw, Refused, Step } from "../manners.ts"
import { idsOf, oneOf, pick } from "../world.ts"
import type { Ledger, Services, World } from "../world.ts"

export const day = 86_400

export const inSeconds = (seconds: number) =>
  Effect.map(DateTime.now, (now) => DateTime.add(now, { seconds }))

/** Anybody. */
export const by = (world: World, { who }: Draw): AgentId => oneOf(idsOf(world.ledger.agents), who)

/** Those whose thing it is: owners and parties. */
const partiesOf = ({ ledger }: World, id: string): ReadonlyArray<AgentId> => {
  const owned =
    ledger.listings.get(id) ??
    ledger.requests.get(id) ??
    ledger.rfqs.get(id) ??
    ledger.keys.get(id) ??
    ledger.webhooks.get(id)
  if (owned !== undefined) return [owned.agentId]
  const quote = ledger.quotes.get(id)
  const asked = ledger.rfqs.get(quote?.rfqId ?? "")
  if (quote !== undefined && asked !== undefined) return [quote.agentId, asked.agentId]
  const pair = ledger.rooms.get(id) ?? ledger.matches.get(id)
  return pair === undefined ? [] : [pair.buyerId, pair.sellerId]
}

/** Mostly one of the parties, so that histories get somewhere; anybody at times, so that refusals are seen. */
const partyTo = (world: World, draw: Draw, id: string): AgentId =>
  (draw.who % 5 === 0 ? undefined : pick(partiesOf(world, id), draw.who)) ?? by(world, draw)

type Act<A extends string> = (
  thing: A,
  agent: AgentId,
  draw: Draw,
  world: World
) => Effect.Effect<unknown, Refused, Services>

type Things<A> = (world: World, draw: Draw) => ReadonlyArray<A>

/** A step of one of its parties on one of some things. */
export const within =
  <A extends string>(things: Things<A>, act: Act<A>): Step =>
  (world, draw) => {
    const thing = pick(things(world, draw), draw.which)
    return thing === undefined ? undefined : act(thing, partyTo(world, draw, thing), draw, world)
  }

/** A step of anybody on one of some things. */
export const on =
  <A extends string>(things: Things<A>, act: Act<A>): Step =>
  (world, draw) => {
    const thing = pick(things(world, draw), draw.which)
    return thing === undefined ? undefined : act(thing, by(world, draw), draw, world)
  }

/** The things in some states, so that histories get somewhere; all of them at times, so that refusals are seen. */
const inState =
  <A extends { readonly id: string; readonly status: string }>(
    table: (ledger: Ledger) => ReadonlyMap<string, A>,
    states: ReadonlyArray<A["status"]>,
    isMeant: (thing: A) => boolean = () => true
  ): Things<A["id"]> =>
  ({ ledger }, { who }) =>
    [...table(ledger).values()]
      .filter((thing) => who % 8 === 0 || (states.includes(thing.status) && isMeant(thing)))
      .map(({ id }) => id)

export const agents = ({ ledger }: World) => idsOf(ledger.agents)
export const keys = ({ ledger }: World) => idsOf(ledger.keys)
export const webhooks = ({ ledger }: World) => idsOf(ledger.webhooks)
export const listings = ({ ledger }: World) => idsOf(ledger.listings)
export const requests = ({ ledger }: World) => idsOf(ledger.requests)
export const rfqs = ({ ledger }: World) => idsOf(ledger.rfqs)
export const rooms = ({ ledger }: World) => idsOf(ledger.rooms)
export const suspended = inState(({ agents }) => agents, ["suspended"])
export const openRfqs = inState(({ rfqs }) => rfqs, ["open"])
export const undecidedRfqs = inState(({ rfqs }) => rfqs, ["draft", "open", "evaluating"])
export const activeQuotes = inState(({ quotes }) => quotes, ["active"])
export const endedQuotes = inState(({ quotes }) => quotes, ["withdrawn", "declined", "expired"])
export const questioned = inState(
  ({ rfqs }) => rfqs,
  ["open", "evaluating"],
  ({ questions }) => questions.some(({ answer }) => answer === undefined)
)
export const offered = inState(
  ({ rooms }) => rooms,
  ["negotiating"],
  ({ turn }) => turn !== null
)
export const negotiations = inState(({ rooms }) => rooms, ["negotiating"])
export const agreedRooms = inState(({ rooms }) => rooms, ["agreed"])
export const underWay = inState(({ rooms }) => rooms, ["in_progress", "delivered", "changes_requested"])
export const disputes = inState(({ rooms }) => rooms, ["disputed"])
export const completed = inState(({ rooms }) => rooms, ["completed"])
export const suggestions = inState(({ matches }) => matches, ["suggested"])
export const holds = inState(({ holds }) => holds, ["held"])
