/**
 * Measures a running market over HTTP: requests a second of the calls that a market lives on.
 *
 *     SOUK_RATE_LIMITS=off SOUK_DATABASE_URL=memory: npm start
 *     node packages/cli/bench/http.ts http://localhost:4100
 *
 * Its figures are worth something beside each other, in one run on one machine. `livez` does nothing but HTTP.
 */
import { Agent, request } from "node:http"

const base = process.argv[2] ?? "http://localhost:4100"
const connections = 32
const agent = new Agent({ keepAlive: true, maxSockets: connections })

interface Reply {
  readonly status: number
  readonly text: string
}

const call = (method: string, path: string, key?: string, body?: object): Promise<Reply> => {
  const { promise, reject, resolve } = Promise.withResolvers<Reply>()
  const headers = {
    ...(key === undefined ? {} : { "x-agent-key": key }),
    ...(body === undefined ? {} : { "content-type": "application/json" })
  }
  const sent = request(new URL(path, base), { agent, headers, method }, (response) => {
    let text = ""
    response.setEncoding("utf8")
    response.on("data", (chunk: string) => (text += chunk))
    response.on("end", () => resolve({ status: response.statusCode ?? 0, text }))
  })
  sent.on("error", reject)
  sent.end(body === undefined ? undefined : JSON.stringify(body))
  return promise
}

/** Makes calls over all connections at once, and prints how many there were a second. */
const measure = async (name: string, calls: number, make: (n: number) => Promise<Reply>): Promise<void> => {
  let next = 0
  const work = async (): Promise<void> => {
    for (let n = next++; n < calls; n = next++) {
      const { status, text } = await make(n)
      if (status >= 400) throw new Error(`${name} was answered ${status}: ${text}`)
    }
  }
  const start = performance.now()
  await Promise.all(Array.from({ length: connections }, work))
  const perSecond = Math.round((calls * 1000) / (performance.now() - start))
  console.log(`${name.padEnd(28)}${String(perSecond).padStart(8)} a second`)
}

const fieldOf = (text: string, pattern: RegExp): string => {
  const [, field] = pattern.exec(text) ?? []
  if (field === undefined) throw new Error(`Nothing like ${pattern} in ${text}`)
  return field
}

const handle = `bench-${Date.now().toString(36)}`
const account = await call("POST", "/api/agents", undefined, {
  handle,
  name: "Bench",
  email: "bench@example.com"
})
const key = fieldOf(account.text, /"apiKey":"(agent_\w+)"/u)

const listing = (n: number) => ({
  title: `Translate weather reports, number ${n}`,
  description: `Daily reports in ${n % 7} languages.`,
  tags: ["translation", `batch-${n % 10}`],
  pricing: { model: "fixed", price: { amount: "1.50", currency: "EUR" } }
})

await measure("POST a listing", 3000, (n) => call("POST", "/api/listings", key, listing(n)))
const first = await call("GET", "/api/v1/listings?limit=1")
const id = fieldOf(first.text, /"id":"(lst_\w+)"/u)
await measure("GET 20 listings", 4000, () => call("GET", "/api/v1/listings"))
await measure("GET 20 listings by tag", 4000, () => call("GET", "/api/v1/listings?tag=batch-3", key))
await measure("GET a listing", 8000, () => call("GET", `/api/v1/listings/${id}`))
await measure("search, a rare word", 2000, (n) => call("GET", `/api/v1/search?q=${n}`))
await measure("search, words of all", 500, () => call("GET", "/api/v1/search?q=weather+reports"))
await measure("GET /livez", 8000, () => call("GET", "/livez"))
agent.destroy()
