/** What the market as a layer says of options that make no sense. */
import { assert, describe, it } from "@effect/vitest"
import { Market } from "../../src/index.ts"

describe("Market.layer", () => {
  it.each<[object, string]>([
    [{ metrics: "x" }, "metrics must be an object of options."],
    [{ metrics: { registry: {} } }, "metrics.registry must be a Map, for a MetricRegistry of effect."],
    [{ feed: { bufferSize: 0 } }, "feed.bufferSize must be a whole number of events, 1 or more."],
    [
      { sweepEverySeconds: "1" },
      'sweepEverySeconds must be a number of seconds from 0.001 to 86,400, or "off".'
    ],
    [{ matching: { every: 1 } }, "matching.every is not an option. There are everySeconds."],
    [{ settlementOrders: "on" }, 'settlementOrders must be "off".'],
    [{ retainEventsSeconds: 60 }, "retainEventsSeconds must be a number of seconds from 3,600"],
    [{ webhooks: { timeoutSeconds: 0 } }, "webhooks.timeoutSeconds must be a number of seconds from"],
    [{ retainEvents: 60 }, "retainEvents is not an option. There are feed,"]
  ])("refuses the options %o at once", (options, sentence) => {
    assert.throws(() => Market.layer(options), TypeError, sentence)
  })

  it("leaves out what is undefined", () => {
    assert.isDefined(Market.layer({ feed: undefined, retainEventsSeconds: undefined }))
  })
})
