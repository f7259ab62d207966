/**
 * Judges whether what concurrent callers saw could have been seen one after the other: the algorithm of Wing and Gong
 * with the memory of Lowe, as in Knossos and Porcupine.
 *
 * An operation takes place at one moment between its call and its return. A history is linearizable when there is an
 * order of such moments in which a sequential model answers each caller what he was answered.
 */

/** What one caller asked, what he was told, and between which moments of one clock. */
export interface Operation<I> {
  readonly input: I
  readonly told: string
  readonly called: number
  readonly returned: number
}

/** What happens one after the other. */
export interface Model<S, I> {
  readonly initial: S
  /** Does an operation, and tells what its caller is told. */
  readonly apply: (state: S, input: I) => { readonly state: S; readonly told: string }
  /** The same for states that behave alike. */
  readonly key: (state: S) => string
}

/** An order in which a history can have happened, or the longest beginning of one that was found. */
export interface Verdict<I> {
  readonly isLinearizable: boolean
  readonly order: ReadonlyArray<Operation<I>>
}

/** Looks for an order. */
export const linearize = <S, I>(model: Model<S, I>, history: ReadonlyArray<Operation<I>>): Verdict<I> => {
  const operations = history.toSorted((a, b) => a.called - b.called)
  const isDone = operations.map(() => false)
  const order: Array<Operation<I>> = []
  const seen = new Set<string>()
  let longest: ReadonlyArray<Operation<I>> = []

  const search = (state: S): boolean => {
    if (order.length > longest.length) longest = [...order]
    if (order.length === operations.length) return true
    const place = `${isDone.map(Number).join("")} ${model.key(state)}`
    if (seen.has(place)) return false
    seen.add(place)
    // What was called when another had returned comes after it.
    const firstReturn = operations.reduce(
      (first, { returned }, n) => (isDone[n] === true ? first : Math.min(first, returned)),
      Number.POSITIVE_INFINITY
    )
    for (const [n, operation] of operations.entries()) {
      if (operation.called > firstReturn) break
      if (isDone[n] === true) continue
      const next = model.apply(state, operation.input)
      if (next.told !== operation.told) continue
      isDone[n] = true
      order.push(operation)
      if (search(next.state)) return true
      order.pop()
      isDone[n] = false
    }
    return false
  }

  return { isLinearizable: search(model.initial), order: longest }
}
