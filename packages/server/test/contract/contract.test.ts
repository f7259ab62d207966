/** The contract, line by line: each line has a test of its own, and stands in `docs/contract-coverage.md`. */
import { assert, describe, it } from "@effect/vitest"
import { openApiDocument } from "@souk/api"
import { EventType } from "@souk/core"
import { Effect } from "effect"
import { readFileSync, writeFileSync } from "node:fs"
import { listAt, open, textAt, verdict } from "../market.ts"
import type { TestAgent } from "../market.ts"
import { tell } from "../story.ts"
import type { Exchange } from "../story.ts"
import { cases } from "./codes.ts"
import { happenings } from "./events.ts"
import { scenarios } from "./moves.ts"
import { coverage } from "./coverage.ts"
import { codes, endpoints, events, moves } from "./requirements.ts"
import { makeStage } from "./stage.ts"
import type { Stage } from "./stage.ts"

/** What somebody hears of the market from its beginning on. */
const hear = (stage: Stage, by: TestAgent | undefined) =>
  Effect.map(
    stage.market.ask("GET /api/v1/events?limit=100&after=earliest", {
      key: by?.key,
      headers: { accept: "application/json" }
    }),
    (data) =>
      listAt(data, "events").map((event) => `${textAt(event, "type")} ${textAt(event, "subject", "id")}`)
  )

/** An agreed deal waits where the host has a settlement that is not done yet. */
const stageFor = (move: string) => makeStage(move.includes("agreed") ? { settlement: "pending" } : {})

describe("the page of the coverage", () => {
  it("lists each line of the contract with its test", () => {
    const file = new URL("../../../../docs/contract-coverage.md", import.meta.url)
    if (process.env["SOUK_DOCS"] === "write") writeFileSync(file, coverage)
    assert.strictEqual(readFileSync(file, "utf8"), coverage, "Run npm run docs:coverage.")
  })
})

describe("the move", () => {
  for (const move of moves)
    it.effect(move, () =>
      Effect.gen(function* () {
        const [, from, to] = /^\w+: (\w+) → (\w+) /u.exec(move) ?? []
        const scenario = scenarios[move]
        assert(scenario !== undefined, "the move has its scene")
        const { act, subject } = yield* scenario(yield* stageFor(move))
        assert.strictEqual(yield* subject.status, from)
        yield* act
        assert.strictEqual(yield* subject.status, to)
      })
    )

  it("is one that the tables have", () => assert.sameMembers(Object.keys(scenarios), [...moves]))
})

describe("the event", () => {
  for (const type of events)
    it.effect(type, () =>
      Effect.gen(function* () {
        const happening = happenings[type]
        assert(happening !== undefined, "the event has what brings it about")
        const stage = yield* makeStage(type === "deal_room.started" ? { settlement: "pending" } : {})
        const { heardBy, id } = yield* happening.play(stage)
        for (const reader of heardBy) assert.include(yield* hear(stage, reader), `${type} ${id}`)
        for (const reader of [stage.stranger, undefined]) {
          const heard = yield* hear(stage, reader)
          if (happening.readers === "public") assert.include(heard, `${type} ${id}`)
          else assert.notInclude(heard, `${type} ${id}`)
        }
      })
    )

  it("is one that the market has", () => {
    assert.sameMembers([...EventType.literals], [...events])
    assert.sameMembers(Object.keys(happenings), [...events])
  })
})

describe("the code", () => {
  for (const code of codes)
    it.effect(code, () =>
      Effect.gen(function* () {
        const refused = cases[code]
        assert(refused !== undefined, "the code has its case")
        assert.strictEqual(verdict(yield* refused), code)
      })
    )

  it("is one that the market knows", () => {
    assert.sameMembers(Object.keys(cases), [...codes])
  })
})

describe("the endpoint", () => {
  let exchanges: ReadonlyArray<Exchange> | undefined
  /** The story is told once for all endpoints. */
  const story = Effect.gen(function* () {
    exchanges ??= yield* tell(yield* open())
    return exchanges
  })
  const document = openApiDocument()
  const described = (endpoint: string) => {
    const [method = "", path = ""] = endpoint.split(" ")
    const item: unknown = Reflect.get(document.paths, path)
    const operation: unknown =
      typeof item === "object" && item !== null ? Reflect.get(item, method.toLowerCase()) : undefined
    return operation === undefined ? undefined : textAt(operation, "operationId")
  }
  /** What describes the market is no operation of it. */
  const pages: ReadonlyArray<string> = [
    "GET /openapi.json",
    "GET /docs",
    "GET /llms.txt",
    "GET /.well-known/api-catalog",
    "GET /metrics"
  ]

  for (const endpoint of endpoints)
    it.effect(endpoint, () =>
      Effect.gen(function* () {
        if (pages.includes(endpoint)) {
          const reply = yield* (yield* open()).call(endpoint)
          assert.strictEqual(reply.status, 200)
          assert.isNotEmpty(reply.text)
          return
        }
        const operationId = described(endpoint)
        assert(operationId !== undefined, "the endpoint is described")
        const replies = (yield* story).filter((exchange) => exchange.operationId === operationId)
        assert.isNotEmpty(replies, "the story calls it")
        for (const { reply } of replies) assert.isBelow(reply.status, 300, reply.text)
      })
    )
})
