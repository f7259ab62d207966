/**
 * The judgement of options that hosts give: what makes no sense, or does not exist, is refused at once by a sentence that
 * names the option. Not every host is written in TypeScript, and figures come from the environment.
 */

/** Throws a `TypeError` with the sentence, if there is one. */
export const refuse = (sentence: string | undefined): void => {
  if (sentence !== undefined) throw new TypeError(sentence)
}

/** Gives the sentence against a value, which begins with its name. */
export type Rule = (value: unknown, name: string) => string | undefined

/** What a predicate takes; the sentence tells what it must be. */
export const must =
  (be: string, isRight: (value: unknown) => boolean): Rule =>
  (value, name) =>
    isRight(value) ? undefined : `${name} must ${be}.`

/** Whether a value can have fields. */
export const isObject = (value: unknown): value is object => typeof value === "object" && value !== null

const within = (be: string, isRight: (value: number) => boolean, min: number, max: number): Rule =>
  must(
    max === Number.MAX_SAFE_INTEGER
      ? `${be}, ${min.toLocaleString("en")} or more`
      : `${be} from ${min.toLocaleString("en")} to ${max.toLocaleString("en")}`,
    (value) => typeof value === "number" && isRight(value) && value >= min && value <= max
  )

/** A whole number of something. */
export const whole = (of: string, min: number, max: number = Number.MAX_SAFE_INTEGER): Rule =>
  within(`be a whole number of ${of}`, Number.isInteger, min, max)

/** A span of time. Timers take none that is longer than 24 days. */
export const span = (unit: "seconds" | "milliseconds", min: number, max: number): Rule =>
  within(`be a number of ${unit}`, Number.isFinite, min, max)

/** In seconds. */
export const day = 86_400

/** A function of the host's own. */
export const called: Rule = must("be a function", (value) => typeof value === "function")

/** A switch. */
export const yesOrNo: Rule = must("be true or false", (value) => typeof value === "boolean")

/** What a rule takes, or one of some words. */
export const or =
  (words: ReadonlyArray<string>, rule: Rule): Rule =>
  (value, name) => {
    if (words.some((word) => word === value)) return undefined
    const sentence = rule(value, name)
    const choice = `, or ${words.map((word) => `"${word}"`).join(" or ")}.`
    return sentence?.startsWith(`${name} must`) === true ? sentence.replace(/\.$/u, choice) : sentence
  }

/** An object of options: those that are known, each by its rule, and no others. */
export const options =
  <Options>(
    rules: { readonly [Name in keyof Required<Options>]: Rule },
    ...needed: ReadonlyArray<keyof Options>
  ): Rule =>
  (value, name) => {
    const within = name === "" ? "" : `${name}.`
    // A list has no field that would be unknown, and says nothing.
    if (!isObject(value) || Symbol.iterator in value)
      return `${name === "" ? "What is given" : name} must be an object of options.`
    const known: ReadonlyArray<[string, Rule]> = Object.entries<Rule>(rules)
    const unknown = Object.keys(value).find((key) => known.every(([one]) => one !== key))
    return unknown === undefined
      ? sentenceAgainst(value, within, known, needed)
      : `${within}${unknown} is not an option. There are ${known.map(([one]) => one).join(", ")}.`
  }

/** The first sentence against a field. What is undefined is not said, and wrong only where it is needed. */
export const sentenceAgainst = (
  value: object,
  within: string,
  rules: ReadonlyArray<[string, Rule]>,
  needed: ReadonlyArray<PropertyKey>
): string | undefined => {
  for (const [key, rule] of rules) {
    const given: unknown = Reflect.get(value, key)
    if (given === undefined && !needed.includes(key)) continue
    const sentence = rule(given, within + key)
    if (sentence !== undefined) return sentence
  }
  return undefined
}
