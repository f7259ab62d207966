/**
 * Sends webhooks by `node:http` and `node:https`, and to nobody on the host's own network. Contract §6.
 *
 * A name is resolved once for each attempt, all of its addresses are judged, and the connection goes to those very
 * addresses: a name that leads elsewhere a moment later gains nothing. Nothing is followed, no connection is kept, and
 * of the answer no more is read than it takes to end it well.
 */
import { SendFailed, WebhookSender } from "@souk/core"
import type { Sender, WebhookRequest } from "@souk/core"
import { Effect, Layer } from "effect"
import { lookup, Resolver } from "node:dns/promises"
import { request as requestPlain } from "node:http"
import type { ClientRequest, IncomingMessage } from "node:http"
import { request as requestSecure } from "node:https"
import { isIP } from "node:net"
import type { LookupFunction } from "node:net"
import { isPublicAddress } from "./PublicAddress.ts"

export interface WebhookSenderOptions {
  /**
   * Names and addresses of your own that may be called wherever they lead, by plain `http:` as well, like `localhost`
   * or `hooks.internal`: each as it stands in a URL, without a port.
   */
  readonly allowHosts?: ReadonlyArray<string> | undefined
}

/** Finds the addresses of a name. */
export type Resolve = (hostname: string) => Effect.Effect<ReadonlyArray<string>, SendFailed>

/** Who knows a name: the host, of those that it allows, and the public DNS of all others. */
export interface Names {
  readonly ofHost: Resolve
  readonly ofOthers: Resolve
}

/** Sends for the market that this is provided to. */
export const layer = (options: WebhookSenderOptions = {}): Layer.Layer<never> =>
  Layer.succeed(WebhookSender, make(options))

/** Makes a sender. */
export const make = ({ allowHosts = [] }: WebhookSenderOptions = {}, names: Names = known): Sender => {
  const allowed = new Set(allowHosts.map((host) => host.toLowerCase()))

  const addressesOf = Effect.fnUntraced(function* (hostname: string) {
    const isAllowed = allowed.has(hostname)
    const host = hostname.replace(/^\[|\]$/gu, "")
    const resolve = isAllowed ? names.ofHost : names.ofOthers
    const addresses = isIP(host) > 0 ? [host] : yield* resolve(host)
    if (addresses.length === 0) return yield* new SendFailed({ reason: unresolved })
    if (!isAllowed && !addresses.every(isPublicAddress))
      return yield* new SendFailed({ reason: "The host leads to an address that is not public." })
    return addresses
  })

  return {
    objection: (text) => {
      const url = URL.parse(text)
      return url === null ? "must be a URL" : objectionTo(url, allowed)
    },
    send: Effect.fn("WebhookSender.send")(function* (message: WebhookRequest) {
      const url = yield* Effect.fromNullishOr(URL.parse(message.url)).pipe(
        Effect.mapError(() => new SendFailed({ reason: "The URL cannot be read." }))
      )
      const objection = objectionTo(url, allowed)
      if (objection !== undefined) return yield* new SendFailed({ reason: `The URL ${objection}.` })
      return yield* post(url, message, yield* addressesOf(url.hostname))
    })
  }
}

// -----------------------------------------------------------------------------
// What is asked of a URL
// -----------------------------------------------------------------------------

/** `URL` writes every form of an IPv4 address, decimal, octal or hexadecimal, as four numbers. */
const objectionTo = ({ hostname, protocol }: URL, allowed: ReadonlySet<string>): string | undefined => {
  if (protocol !== "https:" && protocol !== "http:") return "must begin with https:"
  if (allowed.has(hostname)) return undefined
  if (protocol !== "https:") return "must begin with https:"
  const host = hostname.replace(/^\[|\]$/gu, "").replace(/\.$/u, "")
  const isNear = isIP(host) > 0 ? !isPublicAddress(host) : /(^|\.)localhost$/u.test(host)
  return isNear ? "must lead to a public address" : undefined
}

// -----------------------------------------------------------------------------
// Names
// -----------------------------------------------------------------------------

const unresolved = "The host's name could not be resolved."

/**
 * Asks the DNS without the threads that the process shares for its files and names: a name server that keeps silent
 * holds up nobody else.
 */
const askDns: Resolve = (hostname) =>
  Effect.gen(function* () {
    const resolver = new Resolver({ timeout: 3000, tries: 2 })
    const ask = (find: (hostname: string) => Promise<ReadonlyArray<string>>) =>
      Effect.orElseSucceed(
        Effect.tryPromise({
          try: () => find(hostname),
          catch: () => new SendFailed({ reason: unresolved })
        }),
        (): ReadonlyArray<string> => []
      )
    const found = yield* Effect.all(
      [ask((name) => resolver.resolve4(name)), ask((name) => resolver.resolve6(name))],
      { concurrency: 2 }
    ).pipe(Effect.onInterrupt(() => Effect.sync(() => resolver.cancel())))
    return found.flat()
  })

/** A name that the host allows may stand in its hosts file. */
const askHost: Resolve = (hostname) =>
  Effect.map(
    Effect.tryPromise({
      try: () => lookup(hostname, { all: true }),
      catch: () => new SendFailed({ reason: unresolved })
    }),
    (found) => found.map(({ address }) => address)
  )

const known: Names = { ofHost: askHost, ofOthers: askDns }

/** Answers what was judged, whatever is asked. */
const pinned =
  (addresses: ReadonlyArray<string>): LookupFunction =>
  (_, { all }, callback) => {
    const [first = ""] = addresses
    if (all === true)
      callback(
        null,
        addresses.map((address) => ({ address, family: isIP(address) }))
      )
    else callback(null, first, isIP(first))
  }

// -----------------------------------------------------------------------------
// The request
// -----------------------------------------------------------------------------

/** How much of an answer is read, and how long it may take once its status is known. */
const answerBytes = 16 * 1024
const answerMillis = 1000

const post = (url: URL, { body, headers }: WebhookRequest, addresses: ReadonlyArray<string>) =>
  Effect.callback<{ readonly status: number }, SendFailed>((resume) => {
    const open = url.protocol === "https:" ? requestSecure : requestPlain
    const request = open(url, {
      method: "POST",
      headers: { ...headers, "content-length": Buffer.byteLength(body) },
      lookup: pinned(addresses),
      agent: false
    })
    const fail = (reason: string) => resume(Effect.fail(new SendFailed({ reason })))
    request
      .on("response", (response) => {
        finish(request, response, () => resume(Effect.succeed({ status: response.statusCode ?? 0 })))
      })
      .on("upgrade", (response, socket) => {
        socket.destroy()
        resume(Effect.succeed({ status: response.statusCode ?? 0 }))
      })
      .on("error", (error) => fail(sentenceOf(error)))
      .on("close", () => fail("The connection ended without an answer."))
      .end(body)
    return Effect.sync(() => request.destroy())
  })

/** Reads an answer to its end, within bounds, so that a receiver is not cut off in its sentence. */
const finish = (request: ClientRequest, response: IncomingMessage, done: () => void): void => {
  let read = 0
  const end = () => {
    clearTimeout(timer)
    done()
    request.destroy()
  }
  const timer = setTimeout(end, answerMillis)
  response
    .on("data", (chunk: Uint8Array) => {
      read += chunk.byteLength
      if (read > answerBytes) end()
    })
    .on("error", end)
    .on("close", end)
}

/** What went wrong, by its code: the message of an error can hold addresses of the host's network. */
const sentenceOf = (error: Error & { readonly code?: string }): string =>
  error.code === undefined ? "The connection failed." : `The connection failed: ${error.code}.`
