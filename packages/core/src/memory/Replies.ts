/** The kept replies of requests with an Idempotency-Key, in the order in which they expire. */
import { DateTime } from "effect"
import type { Instant } from "../model/Instant.ts"
import type { IdempotencyRecord } from "../ports/Store.ts"
import { Agenda } from "./Agenda.ts"
import type { Entry } from "./Agenda.ts"

export class Replies {
  readonly #kept = new Map<string, IdempotencyRecord>()
  readonly #expiries = new Agenda<Entry>()

  get(id: string): IdempotencyRecord | undefined {
    return this.#kept.get(id)
  }

  /** A record that has expired when the new one is made gives way to it. */
  isTaken({ createdAt, id }: IdempotencyRecord): boolean {
    const kept = this.#kept.get(id)
    return kept !== undefined && DateTime.isGreaterThan(kept.expiresAt, createdAt)
  }

  /** Keeps a reply and forgets some others that have expired. */
  keep(record: IdempotencyRecord): void {
    this.forget(record.createdAt, 8)
    this.#kept.set(record.id, record)
    this.#expiries.put({ id: record.id, at: record.expiresAt })
  }

  /** Forgets up to `limit` replies that have expired at a moment, and tells how many that were. */
  forget(until: Instant, limit: number): number {
    const expired = this.#expiries.due(until, limit)
    for (const { id } of expired) {
      this.#kept.delete(id)
      this.#expiries.drop(id)
    }
    return expired.length
  }
}
