/**
 * What can be asked of which path: the answer to a method that a path does not take. Contract §1, "Failure".
 *
 * The router matches one method at a time and cannot be asked which others it knows, so the routes are listed here
 * once more, from the HttpApi and by hand for the few beside it, and matched by the same rules.
 */
import { Array as Arr, Schema, SchemaAST } from "effect"
import { FindMyWay } from "effect/http"
import { HttpApi } from "effect/http-api"
import type { HttpApiEndpoint, HttpApiGroup } from "effect/http-api"

/** A method on a path as the router writes it, `/listings/:id`. */
export interface RouteEntry {
  readonly method: string
  readonly path: `/${string}`
  /** What is done there, as the document names it: `listings.publish`. */
  readonly operationId: string
  /** Whether a call without a body is right; only asked where there is a body to read. */
  readonly bodyOptional?: boolean
}

export interface RouteTable {
  /** The methods that a URL takes, as `Allow` lists them; none when there is no such path. */
  readonly allowed: (url: string) => ReadonlyArray<string>
  /** The route that answers a method and URL; that of GET for HEAD. */
  readonly find: (method: string, url: string) => RouteEntry | undefined
}

/** Makes the table of some routes. */
export const make = (entries: Iterable<RouteEntry>): RouteTable => {
  const router = FindMyWay.make<RouteEntry>()
  const routes = Arr.dedupeWith(entries, (a, b) => a.method === b.method && a.path === b.path)
  for (const entry of routes) router.on(entry.method, entry.path, entry)
  const methods = Arr.dedupe(routes.map((entry) => entry.method))
  const find: RouteTable["find"] = (method, url) =>
    router.find(method, url)?.handler ?? (method === "HEAD" ? find("GET", url) : undefined)
  return {
    find,
    allowed: (url) => withImplied(methods.filter((method) => router.find(method, url) !== undefined))
  }
}

/** Lists the routes of an HttpApi. */
export const entriesOf = <Id extends string, Groups extends HttpApiGroup.Constraint>(
  api: HttpApi.HttpApi<Id, Groups>
): ReadonlyArray<RouteEntry> => {
  const entries: Array<RouteEntry> = []
  HttpApi.reflect(api, {
    onGroup: () => {},
    onEndpoint: ({ group, endpoint: { identifier, method, path, payload } }) =>
      entries.push({
        method,
        path: `/${path.replace(/^\//u, "")}`,
        operationId: `${group.identifier}.${identifier}`,
        bodyOptional: takesNothing(payload)
      })
  })
  return entries
}

// -----------------------------------------------------------------------------

/** HEAD is answered wherever GET is, and OPTIONS wherever anything is. */
const withImplied = (methods: ReadonlyArray<string>): ReadonlyArray<string> => {
  if (methods.length === 0) return []
  const implied = methods.includes("GET") ? ["HEAD", "OPTIONS"] : ["OPTIONS"]
  return Arr.dedupe([...methods, ...implied]).toSorted()
}

/** HttpApi decodes an empty body as `null` where one of the payloads is null, else as `undefined`. */
const takesNothing = (payload: HttpApiEndpoint.PayloadMap): boolean =>
  [...payload.values()].some(({ schemas }) =>
    schemas.some((schema) => {
      const encoded = Schema.toEncoded(schema)
      return SchemaAST.isNull(encoded.ast) || Schema.is(encoded)(undefined)
    })
  )
