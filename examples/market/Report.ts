/** What the example prints: what the agents do, what one of them hears (indented), and how far the loading is. */
export class Report {
  readonly #quiet: boolean
  #toldAt = performance.now()

  constructor(quiet: boolean) {
    this.#quiet = quiet
  }

  /** Prints a line, unless it is to be quiet. */
  readonly say = (line: string): void => {
    if (!this.#quiet) console.log(line)
  }

  /** Prints what was heard on the stream. */
  readonly hear = (line: string): void => this.say(`      ~ ${line}`)

  /** Prints how far something is, at most twice a second and when it is done. */
  progress(what: string, count: number, total: number, startedAt: number): void {
    const now = performance.now()
    if (count < total && now - this.#toldAt < 500) return
    this.#toldAt = now
    const rate = Math.round(count / Math.max(0.001, (now - startedAt) / 1000))
    this.say(`  ${what}: ${count} of ${total}, ${rate} a second`)
  }

  /** Prints a line in any case. */
  readonly conclude = (line: string): void => console.log(line)
}
