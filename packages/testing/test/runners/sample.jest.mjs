import { expected, playDeal } from "./deal.mjs"

test("a deal is made", async () => {
  expect(await playDeal()).toEqual(expected)
})

test("a deal is made while the timers of the runner are not real, but for setImmediate", async () => {
  import.meta.jest.useFakeTimers({ doNotFake: ["setImmediate", "queueMicrotask", "nextTick"] })
  expect(await playDeal()).toEqual(expected)
})
