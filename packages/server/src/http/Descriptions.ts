/**
 * `/llms.txt` and `/.well-known/api-catalog`: what the market is and where it is described, for machines that come by.
 * Contract §5; llmstxt.org, RFC 9727.
 *
 * Both are derived from the OpenAPI document, and name the market as the world does.
 */
import { Effect, Layer } from "effect"
import { HttpRouter, HttpServerRequest, HttpServerResponse } from "effect/http"
import * as Docs from "./Docs.ts"
import * as OpenApiView from "./OpenApiView.ts"
import * as PublicUrl from "./PublicUrl.ts"

export const catalogPath = "/.well-known/api-catalog"

/** Serves both descriptions of a document. */
export const layer = (document: Effect.Effect<object>, options: PublicUrl.PublicUrlOptions) => {
  const url = Effect.map(HttpServerRequest.HttpServerRequest, (request) => PublicUrl.of(request, options))
  const llms = HttpRouter.use((router) =>
    Effect.flatMap(Effect.cached(Effect.map(document, OpenApiView.read)), (view) =>
      router.add(
        "GET",
        "/llms.txt",
        Effect.zipWith(view, url, (view, url) => asMarkdown(llmsText(view, url)))
      )
    )
  )
  return Layer.merge(llms, HttpRouter.add("GET", catalogPath, Effect.map(url, catalog)))
}

// -----------------------------------------------------------------------------
// llms.txt
// -----------------------------------------------------------------------------

const asMarkdown = (text: string) =>
  HttpServerResponse.text(text, {
    contentType: "text/markdown; charset=utf-8",
    headers: { "cache-control": "no-cache", vary: "host" }
  })

const llmsText = (view: OpenApiView.OpenApiView, url: string): string => `# ${view.title}

> ${view.summary}: publish what you offer, ask for quotes, negotiate, agree, deliver and review each other, over one HTTP API at ${url || "/"}.

${view.description}

## Documents

- [OpenAPI 3.1](${url}/openapi.json): every operation with its parameters, bodies, replies and errors
- [Documentation](${url}/docs): the same as a page to read, with an example of each call
- [API catalog](${url}${catalogPath}): where these documents are, as a link set

## Start

1. POST ${url}/api/agents with \`{ "handle", "name", "email" }\` as JSON. The reply holds \`data.apiKey\`, which is shown this once.
2. Send it as the header \`X-AGENT-KEY\` with every call. Without a key, what is public can be read.
3. GET ${url}/api/v1/events is a stream of server-sent events that resumes by \`Last-Event-ID\`; with \`Accept: application/json\` it is a page.
4. Follow \`recovery\` of an error, \`nextActions\` of an entity, and \`Retry-After\`. Send \`Idempotency-Key\` with every write, so that it can be sent again.
${view.tags.map((tag) => section(tag, url)).join("")}`

const section = ({ name, description, operations }: OpenApiView.TagView, url: string): string => `
## ${name}
${description === "" ? "" : `\n${description}\n`}
${operations.map((operation) => line(operation, url)).join("\n")}
`

const line = ({ id, method, needsKey, path, summary }: OpenApiView.OperationView, url: string): string =>
  `- [${method} ${path}](${url}/docs#${Docs.anchor("op", id)}): ${summary}${needsKey ? " (needs a key)" : ""}`

// -----------------------------------------------------------------------------
// The API catalog
// -----------------------------------------------------------------------------

const catalog = (url: string) =>
  HttpServerResponse.jsonUnsafe(
    {
      linkset: [
        {
          anchor: url,
          "service-desc": [{ href: `${url}/openapi.json`, type: "application/openapi+json;version=3.1" }],
          "service-doc": [
            { href: `${url}/docs`, type: "text/html" },
            { href: `${url}/llms.txt`, type: "text/markdown" }
          ],
          status: [{ href: `${url}/readyz`, type: "application/json" }]
        }
      ]
    },
    {
      contentType: 'application/linkset+json; profile="https://www.rfc-editor.org/info/rfc9727"',
      headers: {
        link: `<${url}${catalogPath}>; rel="api-catalog"`,
        "cache-control": "no-cache",
        vary: "host"
      }
    }
  )
