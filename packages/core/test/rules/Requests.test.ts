import { assert, describe, it } from "@effect/vitest"
import { Result } from "effect"
import fc from "fast-check"
import { after, matchesRequest, RequestStatus } from "../../src/index.ts"
import type { Request, RequestInput, RequestPatch } from "../../src/index.ts"
import { end, mayRead, open, requestAsOf, requestStatesAt, update } from "../../src/rules/Requests.ts"
import { buyer, idOf, now, sampleRequest, seller } from "./samples.ts"

const codeOf = (result: Result.Result<unknown, { readonly code: string }>) =>
  Result.isSuccess(result) ? "done" : result.failure.code

const make = (input: Partial<RequestInput>) =>
  open({ title: "Translate", ...input }, idOf("request", 1), buyer, now)
const patch = (request: Request, patch: RequestPatch, seconds = 0) =>
  update(request, patch, after(now, seconds))
const { expiresAt: _, ...standing } = sampleRequest()

describe("the status of a request by the clock", () => {
  it("is the same in a list as in a single read, at every moment, and with no deadline it stays", () => {
    const moments = fc.integer({ min: 0, max: 12 })
    fc.assert(
      fc.property(
        fc.constantFrom(...RequestStatus.literals),
        fc.option(moments, { nil: undefined }),
        moments,
        (stored, deadline, at) => {
          const request: Request = {
            ...standing,
            status: stored,
            ...(deadline === undefined ? {} : { expiresAt: after(now, deadline) })
          }
          const moment = after(now, at)
          const seen = requestAsOf(request, moment).request.status
          if (deadline === undefined) assert.strictEqual(seen, stored)
          for (const status of RequestStatus.literals) {
            const listed = matchesRequest({ states: requestStatesAt(status, moment) }, request)
            assert.strictEqual(listed, status === seen, `${stored} seen as ${seen}, listed as ${status}`)
          }
        }
      )
    )
  })

  it("changes at the deadline's own millisecond, with the event of that moment", () => {
    const request = sampleRequest({ version: 4 })
    const before = requestAsOf(request, after(now, 3599.999))
    assert.strictEqual(before.request.status, "open")
    const { events, request: expired } = requestAsOf(request, after(now, 3600))
    assert.deepStrictEqual([expired.status, expired.version], ["expired", 5])
    assert.deepStrictEqual(expired.updatedAt, after(now, 3600))
    assert.deepStrictEqual(
      events.map(({ at, subject, type }) => [type, subject.version, at]),
      [["request.expired", 5, after(now, 3600)]]
    )
  })
})

describe("a request's readers", () => {
  it("are everybody while it is open, and its owner for good", () => {
    for (const status of RequestStatus.literals) {
      const readers = [buyer, seller, undefined].map((who) => mayRead(sampleRequest({ status }), who))
      assert.deepStrictEqual(readers, status === "open" ? [true, true, true] : [true, false, false])
    }
  })
})

describe("a request's moments", () => {
  it("are ahead, by 366 days at most", () => {
    const day = 86_400
    for (const name of ["neededBy", "expiresAt"] as const) {
      assert.strictEqual(codeOf(make({ [name]: now })), "invalid_request")
      assert.strictEqual(codeOf(make({ [name]: after(now, 0.001) })), "done")
      assert.strictEqual(codeOf(make({ [name]: after(now, 366 * day) })), "done")
      assert.strictEqual(codeOf(make({ [name]: after(now, 366 * day + 0.001) })), "invalid_request")
      assert.strictEqual(codeOf(patch(sampleRequest(), { [name]: now })), "invalid_request")
    }
  })

  it("do not stand in the way of another change when they have passed", () => {
    const request = sampleRequest({ neededBy: after(now, 10) })
    assert.strictEqual(codeOf(patch(request, { title: "Translate all" }, 60)), "done")
    assert.strictEqual(codeOf(patch(request, { neededBy: after(now, 10) }, 60)), "invalid_request")
  })
})

describe("a change of a request", () => {
  it("clears with null what can be cleared, and tells what has changed", () => {
    const request = sampleRequest({
      category: "legal",
      budget: { amount: "5", currency: "EUR" },
      tags: ["a"]
    })
    const change = { category: null, budget: null, neededBy: null, expiresAt: null }
    const { events, result } = Result.getOrThrow(patch(request, change))
    assert.isFalse("category" in result || "budget" in result || "expiresAt" in result)
    assert.deepStrictEqual(result.tags, ["a"])
    assert.strictEqual(result.version, request.version + 1)
    assert.deepStrictEqual(
      events.map(({ audience, data, type }) => [type, audience, data["changed"]]),
      [["request.updated", "public", Object.keys(change)]]
    )
  })

  it("comes while it is open, as its end does", () => {
    for (const [request, seconds] of [
      [sampleRequest({ status: "fulfilled" }), 0],
      [sampleRequest({ status: "cancelled" }), 0],
      [sampleRequest(), 3600]
    ] as const) {
      assert.strictEqual(codeOf(patch(request, { title: "Other" }, seconds)), "invalid_state")
      assert.strictEqual(codeOf(end(request, "fulfil", after(now, seconds))), "invalid_state")
      assert.strictEqual(codeOf(end(request, "cancel", after(now, seconds))), "invalid_state")
    }
  })
})
