import { assert, describe, it } from "@effect/vitest"
import { SchemaOutOfDate, Unavailable } from "@souk/core"
import { toHost } from "../src/StoreReason.ts"

const sentenceFor = (cause: unknown) => {
  const told = toHost(Unavailable.because(cause))
  return told instanceof Unavailable ? told.message : assert.fail(String(told))
}

describe("what a host is told of a store that fails", () => {
  it("is the innermost reason that says more, at each address that was tried", () => {
    const refused = (address: string) =>
      Object.assign(new Error("connect"), { code: "ECONNREFUSED", address, port: 5432 })
    const cause = new Error("Failed to connect", {
      cause: new AggregateError([refused("::1"), refused("127.0.0.1")], "")
    })
    assert.strictEqual(
      sentenceFor(cause),
      "The market's store cannot answer now: connection refused at ::1:5432, connection refused at 127.0.0.1:5432"
    )
    assert.include(
      sentenceFor(new Error("no room: /data", { cause: new Error("no room") })),
      ": no room: /data"
    )
  })

  it("holds no password", () => {
    for (const text of ["postgres://me:secret@db:5432/app", "host=db password=secret user=me"])
      assert.notInclude(sentenceFor(new Error(`cannot reach ${text}`)), "secret")
  })

  it("is what it was where no database is at fault", () => {
    for (const failure of [
      new SchemaOutOfDate({ message: "Run souk migrate." }),
      new Unavailable({ message: "The market is closed." })
    ])
      assert.strictEqual(toHost(failure), failure)
  })
})
