/** The entities of one kind: their values, the orders in which they are listed, and what is unique among them. */
import { Result } from "effect"
import type { Write } from "../model/Change.ts"
import type { Page, PageRequest } from "../model/Page.ts"
import { StaleVersion, UniqueViolation } from "../ports/Store.ts"
import type { Constraint } from "../ports/Store.ts"
import { addId, newestFirst, removeId } from "./Order.ts"

interface Row {
  readonly id: string
  readonly version: number
}

/** How a kind of entity is found. */
export interface Shape<V> {
  readonly kind: Write["kind"]
  /** The names of the orders that hold an entity. */
  readonly orders: (value: V) => ReadonlyArray<string>
  readonly unique?: {
    readonly constraint: Constraint
    /** What no other entity may hold at the same time, if anything. */
    readonly claim: (value: V) => string | undefined
  }
  /** Is told of every value that comes, goes, or takes the place of another. */
  readonly follow?: (previous: V | undefined, next: V | undefined) => void
}

/** A write that took place, with what takes it back; or why it did not. */
export type Written = Result.Result<() => void, StaleVersion | UniqueViolation>

export class Table<V extends Row> {
  readonly #shape: Shape<V>
  readonly #rows = new Map<string, V>()
  readonly #orders = new Map<string, Array<string>>()
  readonly #holders = new Map<string, string>()

  constructor(shape: Shape<V>) {
    this.#shape = shape
  }

  get(id: string): V | undefined {
    return this.#rows.get(id)
  }

  /** Those that exist, each once. */
  getAll(ids: Iterable<string>): ReadonlyArray<V> {
    return Array.from(new Set(ids), (id) => this.#rows.get(id)).filter((row) => row !== undefined)
  }

  /** The entity that holds a unique claim. */
  holderOf(claim: string): V | undefined {
    const id = this.#holders.get(claim)
    return id === undefined ? undefined : this.#rows.get(id)
  }

  /** All entities of an order, newest first. */
  all(order: string): ReadonlyArray<V> {
    return this.getAll(newestFirst(this.#idsOf([order]), undefined))
  }

  /**
   * A page of what matches. Each of `choices` names orders that together hold all of it; the one with the fewest ids
   * is walked, so that a filter costs what its rarest condition costs.
   */
  page(
    choices: ReadonlyArray<ReadonlyArray<string>>,
    request: PageRequest,
    matches: (value: V) => boolean = () => true
  ): Page<V> {
    const items: Array<V> = []
    for (const id of newestFirst(this.#smallest(choices), request.before)) {
      const row = this.#rows.get(id)
      if (row === undefined || !matches(row)) continue
      if (items.length === request.limit) return { items, hasMore: true }
      items.push(row)
    }
    return { items, hasMore: false }
  }

  /** Writes a value in place of the version that it replaces. */
  write(value: V, replaces: number | null): Written {
    const { kind, unique } = this.#shape
    const previous = this.#rows.get(value.id)
    if ((previous?.version ?? null) !== replaces) {
      return Result.fail(new StaleVersion({ kind, id: value.id }))
    }
    const claim = unique?.claim(value)
    const holder = claim === undefined ? undefined : this.#holders.get(claim)
    if (unique !== undefined && holder !== undefined && holder !== value.id) {
      return Result.fail(new UniqueViolation({ constraint: unique.constraint }))
    }
    this.#replace(previous, value)
    return Result.succeed(() => this.#replace(value, previous))
  }

  /** Drops an entity. */
  remove(id: string): void {
    this.#replace(this.#rows.get(id), undefined)
  }

  #replace(previous: V | undefined, next: V | undefined): void {
    if (previous !== undefined) {
      this.#rows.delete(previous.id)
      for (const ids of this.#idsOf(this.#shape.orders(previous))) removeId(ids, previous.id)
      const claim = this.#shape.unique?.claim(previous)
      if (claim !== undefined) this.#holders.delete(claim)
    }
    if (next !== undefined) {
      this.#rows.set(next.id, next)
      for (const ids of this.#idsOf(this.#shape.orders(next))) addId(ids, next.id)
      const claim = this.#shape.unique?.claim(next)
      if (claim !== undefined) this.#holders.set(claim, next.id)
    }
    this.#shape.follow?.(previous, next)
  }

  #smallest(choices: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<ReadonlyArray<string>> {
    const sized = choices.map((orders) => {
      const ids = this.#idsOf(orders)
      return { ids, size: ids.reduce((sum, ids) => sum + ids.length, 0) }
    })
    return sized.reduce(
      (best, next) => (next.size < best.size ? next : best),
      sized[0] ?? { ids: [], size: 0 }
    ).ids
  }

  #idsOf(orders: ReadonlyArray<string>): Array<Array<string>> {
    return orders.map((order) => {
      const known = this.#orders.get(order)
      if (known !== undefined) return known
      const ids: Array<string> = []
      this.#orders.set(order, ids)
      return ids
    })
  }
}
