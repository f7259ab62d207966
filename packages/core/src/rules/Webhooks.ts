/** The rules of webhooks: their states, which events they get, and what follows from an attempt. Contract §3, §6. */
import { DateTime, Result } from "effect"
import type { Change, Write } from "../model/Change.ts"
import { born, revised } from "../model/Entity.ts"
import { InvalidRequest, LimitReached } from "../model/Errors.ts"
import type { NewEvent, StoredEvent } from "../model/Event.ts"
import type { AgentId, TaskId, WebhookId } from "../model/Id.ts"
import type { Instant } from "../model/Instant.ts"
import { after, day, hasPassed, hour, minute } from "../model/Instant.ts"
import type { Attempt, Task } from "../model/Task.ts"
import { signature } from "../model/Webhook.ts"
import type { Webhook, WebhookInput, WebhookStatus } from "../model/Webhook.ts"
import { mayHear, ofTypes } from "./Events.ts"
import type { MoveRefused, StateTable } from "./StateTable.ts"
import { permit } from "./StateTable.ts"

export type WebhookMove = "disable" | "enable" | "rotate" | "replay" | "delete"

/** A webhook tells nobody of its moves: only its owner knows it, who reads it. */
export const webhookTable: StateTable<Webhook, WebhookStatus, WebhookMove> = [
  { from: ["active"], move: "disable", by: ["time"], to: "disabled", event: null },
  { from: ["disabled"], move: "enable", by: ["agent"], to: "active", event: null },
  { from: ["active", "disabled"], move: "rotate", by: ["agent"], to: "same", event: null },
  { from: ["active"], move: "replay", by: ["agent"], to: "same", event: null },
  { from: ["active", "disabled"], move: "delete", by: ["agent"], to: "deleted", event: null }
]

/** How long to wait after the first failed attempt, the second …; after the last there is nothing to wait for. */
export const retryAfterSeconds: ReadonlyArray<number> = [
  5,
  minute,
  5 * minute,
  30 * minute,
  2 * hour,
  12 * hour,
  24 * hour
]

const maxWebhooks = 20
/** A delivery that is replayed again and again stays of bounded size. */
const attemptsKept = 50
const defaultGraceSeconds = day
const gone = 410

/** What a new webhook is made of beside its input. */
export interface WebhookParts {
  readonly id: WebhookId
  readonly secret: string
  readonly hearsFrom: number
}

/** Gives an agent one more webhook. `objection` is what the host has against its URL. */
export const create = (
  agentId: AgentId,
  existing: ReadonlyArray<Webhook>,
  { url, types }: WebhookInput,
  parts: WebhookParts,
  objection: string | undefined,
  now: Instant
): Result.Result<Change<Webhook>, InvalidRequest | LimitReached> => {
  const against = objection ?? (namesUser(url) ? "must hold no user name and no password" : undefined)
  if (against !== undefined) return Result.fail(InvalidRequest.at("payload.url", against))
  if (existing.length >= maxWebhooks)
    return Result.fail(
      new LimitReached({ message: `An agent has at most ${maxWebhooks} webhooks. Delete one.` })
    )
  const webhook: Webhook = {
    ...parts,
    agentId,
    url,
    types,
    formerSecret: null,
    status: "active",
    disabledReason: null,
    ...born(now)
  }
  return Result.succeed({
    result: webhook,
    writes: [{ kind: "webhook", value: webhook, replaces: null }],
    events: []
  })
}

/** A secret in a URL would be shown in every list: the signature is how a receiver knows who calls. */
const namesUser = (text: string): boolean => {
  const url = URL.parse(text)
  return url !== null && `${url.username}${url.password}` !== ""
}

/** Lets a disabled webhook hear again, from here on. */
export const enable = (webhook: Webhook, hearsFrom: number, now: Instant) =>
  moved(webhook, "enable", { disabledReason: null, hearsFrom }, now)

/** Replaces the secret; the former one signs beside it for the grace. */
export const rotate = (
  webhook: Webhook,
  secret: string,
  graceSeconds = defaultGraceSeconds,
  now: Instant
) => {
  const formerSecret = { secret: webhook.secret, until: after(now, graceSeconds) }
  return moved(webhook, "rotate", { secret, formerSecret: graceSeconds === 0 ? null : formerSecret }, now)
}

/** Ends a webhook for good. What it was still to get is not sent any more. */
export const remove = (webhook: Webhook, now: Instant) => moved(webhook, "delete", {}, now)

const moved = (
  webhook: Webhook,
  move: WebhookMove,
  changes: Partial<Pick<Webhook, "disabledReason" | "formerSecret" | "hearsFrom" | "secret">>,
  now: Instant,
  by: "agent" | "time" = "agent"
): Result.Result<Change<Webhook>, MoveRefused> =>
  Result.map(permit(webhookTable, webhook, move, by), ({ to }) => {
    const next = revised(webhook, { ...changes, ...(to === "same" ? {} : { status: to }) }, now)
    return {
      result: next,
      writes: [{ kind: "webhook", value: next, replaces: webhook.version }],
      events: []
    }
  })

// -----------------------------------------------------------------------------
// From events to deliveries
// -----------------------------------------------------------------------------

/** Makes a judge of whether a webhook gets an event: its agent may hear it, wants it, and had the webhook by then. */
export const wants = ({ agentId, hearsFrom, status, types }: Webhook): ((event: StoredEvent) => boolean) => {
  const isOfTypes = ofTypes(types)
  return (event) =>
    status === "active" && event.position > hearsFrom && isOfTypes(event) && mayHear(event, agentId)
}

/** What is to be delivered at once. */
export const delivery = (webhookId: WebhookId, { event }: NewEvent, id: TaskId, now: Instant): Task => ({
  id,
  queue: webhookId,
  work: { kind: "delivery", webhookId, event },
  status: "pending",
  attempts: [],
  dueAt: now,
  ...born(now)
})

// -----------------------------------------------------------------------------
// Attempts
// -----------------------------------------------------------------------------

/** Tells whether a delivery is to be tried now. */
export const isDue = ({ dueAt, status }: Task, now: Instant): boolean =>
  status === "pending" && dueAt !== null && hasPassed(dueAt, now)

/** How many deliveries wait for one webhook at most, give or take those that are made between two looks. */
export const maxWaiting = 10_000

/** Disables a webhook for which too much waits. */
export const overflow = (webhook: Webhook, now: Instant): ReadonlyArray<Write> =>
  webhook.status === "active" ? disabled(webhook, `${maxWaiting} deliveries waited for it.`, now) : []

/** What follows from an attempt: it is done, it is tried again, or the webhook is disabled. */
export const settle = (
  task: Task,
  webhook: Webhook | undefined,
  attempt: Attempt,
  now: Instant
): ReadonlyArray<Write> => {
  const attempts = [...task.attempts, attempt].slice(-attemptsKept)
  const wrote = (changes: Partial<Pick<Task, "dueAt" | "status">>): Write => ({
    kind: "task",
    value: revised(task, { attempts, ...changes }, now),
    replaces: task.version
  })
  if (attempt.succeeded) return [wrote({ status: "done", dueAt: null })]
  // It was ended while it was under way.
  if (task.status !== "pending") return [wrote({})]
  const failed = wrote({ status: "failed", dueAt: null })
  if (webhook?.status !== "active") return [failed]
  if (attempt.status === gone) return [failed, ...disabled(webhook, "It answered 410 Gone.", now)]
  const count = countedAttempts(task, attempts)
  // Its owner asked for it again while it was under way: that one is still to come.
  if (count === 0) return [wrote({})]
  const pause = retryAfterSeconds[count - 1]
  if (pause !== undefined) return [wrote({ dueAt: after(now, pause) })]
  const reason = `${count} attempts to deliver ${describe(task)} failed.`
  return [failed, ...disabled(webhook, reason, now)]
}

/** What time makes of a webhook that cannot be reached, where its state lets it. */
const disabled = (webhook: Webhook, disabledReason: string, now: Instant): ReadonlyArray<Write> =>
  Result.match(moved(webhook, "disable", { disabledReason }, now, "time"), {
    onFailure: () => [],
    onSuccess: ({ writes }) => writes
  })

const countedAttempts = ({ work }: Task, attempts: ReadonlyArray<Attempt>): number => {
  const since = work.kind === "delivery" ? work.replayedAt : undefined
  return since === undefined
    ? attempts.length
    : attempts.filter(({ at }) => !DateTime.isLessThan(at, since)).length
}

const describe = ({ work, id }: Task): string => (work.kind === "delivery" ? work.event.id : id)

/** Ends a delivery that has nowhere to go any more. */
export const end = (task: Task, now: Instant): Write => ({
  kind: "task",
  value: revised(task, { status: "failed", dueAt: null }, now),
  replaces: task.version
})

/** Sends an event once more, at once and with all its retries. */
export const replay = (
  webhook: Webhook,
  task: Task,
  now: Instant
): Result.Result<Change<Task>, MoveRefused> =>
  Result.map(permit(webhookTable, webhook, "replay", "agent"), () => {
    const work = task.work.kind === "delivery" ? { ...task.work, replayedAt: now } : task.work
    const again = revised(task, { work, status: "pending", dueAt: now }, now)
    return {
      result: again,
      writes: [{ kind: "task", value: again, replaces: task.version }],
      events: []
    }
  })

// -----------------------------------------------------------------------------
// What is sent
// -----------------------------------------------------------------------------

/** The headers of an attempt, as Standard Webhooks 1.0 has them. */
export const headersOf = (
  { formerSecret, secret }: Webhook,
  id: string,
  body: string,
  now: Instant
): Readonly<Record<string, string>> => {
  const timestamp = Math.floor(DateTime.toEpochMillis(now) / 1000)
  const rotates = formerSecret !== null && !hasPassed(formerSecret.until, now)
  const secrets = rotates ? [secret, formerSecret.secret] : [secret]
  return {
    "content-type": "application/json",
    "user-agent": "souk-webhooks",
    "webhook-id": id,
    "webhook-timestamp": `${timestamp}`,
    "webhook-signature": secrets.map((key) => `v1,${signature(key, `${id}.${timestamp}.${body}`)}`).join(" ")
  }
}
