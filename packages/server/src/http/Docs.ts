/**
 * `/docs`: the OpenAPI document as one page to read. Contract §5.
 *
 * The page is made once, when it is first asked for, and is whole: no script, no font, no request to anywhere. So it
 * works without the internet, and under a content security policy that allows one style sheet, by its hash, and nothing
 * else.
 */
import { Canonical } from "@souk/core"
import { Effect } from "effect"
import { Base64 } from "effect/encoding"
import { HttpRouter, HttpServerResponse } from "effect/http"
import { stylesheet } from "./docsStyle.ts"
import * as OpenApiView from "./OpenApiView.ts"

/** What a browser may do with the page. */
const contentSecurityPolicy = [
  "default-src 'none'",
  `style-src 'sha256-${Base64.encode(Canonical.sha256Bytes(stylesheet))}'`,
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'"
].join("; ")

/** Serves the page of a document. */
export const layer = (document: Effect.Effect<object>, path: HttpRouter.PathInput = "/docs") =>
  HttpRouter.use((router) =>
    Effect.flatMap(Effect.cached(Effect.map(document, pageOf)), (page) => router.add("GET", path, page))
  )

const pageOf = (document: object) =>
  HttpServerResponse.text(docsPage(document), {
    contentType: "text/html; charset=utf-8",
    headers: { "content-security-policy": contentSecurityPolicy, "cache-control": "no-cache" }
  })

/** Renders a document as a page. */
export const docsPage = (document: object): string => {
  const view = OpenApiView.read(document)
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escape(view.title)}</title>
<style>${stylesheet}</style>
</head>
<body>
<header><h1>${escape(view.title)} <small>${escape(view.version)}</small></h1>${prose(view.description)}</header>
<nav aria-label="Contents">${view.tags.map(contents).join("")}${schemaContents(view)}</nav>
<main>${view.tags.map((tag) => section(view, tag)).join("")}${schemas(view)}</main>
</body>
</html>
`
}

// -----------------------------------------------------------------------------
// Contents
// -----------------------------------------------------------------------------

const contents = (tag: OpenApiView.TagView) =>
  `<details open><summary>${escape(tag.name)}</summary><ul>${each(tag.operations, (operation) =>
    item(
      anchor("op", operation.id),
      `${badge(operation.method)} ${escape(operation.summary || operation.path)}`
    )
  )}</ul></details>`

const schemaContents = ({ schemas }: OpenApiView.OpenApiView) =>
  schemas.length === 0
    ? ""
    : `<details><summary>Schemas</summary><ul>${each(schemas, ({ name }) => item(anchor("schema", name), escape(name)))}</ul></details>`

const item = (id: string, label: string) => `<li><a href="#${id}">${label}</a></li>`

// -----------------------------------------------------------------------------
// Operations
// -----------------------------------------------------------------------------

const section = (view: OpenApiView.OpenApiView, tag: OpenApiView.TagView) =>
  `<section><h2 id="${anchor("tag", tag.name)}">${escape(tag.name)}</h2>${prose(tag.description)}${each(
    tag.operations,
    (operation) => article(view, operation)
  )}</section>`

const article = (view: OpenApiView.OpenApiView, operation: OpenApiView.OperationView) => {
  const id = anchor("op", operation.id)
  return `<article id="${id}">
<h3><a href="#${id}">${badge(operation.method)} <code>${escape(operation.path)}</code></a></h3>
<p class="summary">${escape(operation.summary)}${operation.deprecated ? " <em>deprecated</em>" : ""}${
    operation.needsKey ? " <em>needs a key</em>" : ""
  }</p>
${prose(operation.description)}${parameters(operation)}${requestBody(view, operation)}${responses(view, operation)}
<h4>Try it</h4>${code(curl(view, operation))}
</article>`
}

const parameters = ({ parameters }: OpenApiView.OperationView) =>
  parameters.length === 0
    ? ""
    : `<h4>Parameters</h4>${table(
        parameters.map((parameter) => ({ ...parameter, note: parameter.place })),
        escape
      )}`

const requestBody = (view: OpenApiView.OpenApiView, { body }: OpenApiView.OperationView) =>
  body === undefined ? "" : `<h4>Body</h4>${bodyType(view, body)}${fields(view, body.schema)}`

const responses = (view: OpenApiView.OpenApiView, { responses }: OpenApiView.OperationView) => {
  const failures = responses.filter(({ status }) => status >= "4")
  return `<h4>Responses</h4>${each(
    responses.filter(({ status }) => status < "4"),
    (response) => success(view, response)
  )}${failures.length === 0 ? "" : `<ul class="failures">${each(failures, (response) => failure(view, response))}</ul>`}`
}

const success = (view: OpenApiView.OpenApiView, { status, description, body }: OpenApiView.ResponseView) =>
  `<details><summary>${statusBadge(status)} ${inline(description)}</summary>${
    body === undefined
      ? "<p>No body.</p>"
      : `${bodyType(view, body)}${fields(view, body.schema)}${example(body)}`
  }</details>`

/** A line suffices: what the failures hold stands among the schemas. */
const failure = (view: OpenApiView.OpenApiView, { status, description, body }: OpenApiView.ResponseView) =>
  `<li>${statusBadge(status)} ${
    body === undefined ? inline(description) : linked(view, OpenApiView.typeOf(body.schema))
  }</li>`

const statusBadge = (status: string) => `<b class="s${escape(status.slice(0, 1))}">${escape(status)}</b>`

const bodyType = (view: OpenApiView.OpenApiView, { mediaType, schema }: OpenApiView.BodyView) =>
  `<p><code>${escape(mediaType)}</code> ${linked(view, OpenApiView.typeOf(schema))}</p>`

const example = (body: OpenApiView.BodyView) =>
  body.mediaType.includes("json") ? code(JSON.stringify(body.example, null, 2) ?? "") : ""

/** One line for a shell, but for the body, which is easier to change over several. */
const curl = ({ server }: OpenApiView.OpenApiView, operation: OpenApiView.OperationView) => {
  const url = `${server === "" ? "$SOUK_URL" : server}${operation.path}`
  const parts = [
    operation.method === "GET" ? "curl" : `curl -X ${operation.method}`,
    ...(operation.responses.some(({ body }) => body?.mediaType === "text/event-stream") ? ["-N"] : []),
    `"${url}"`,
    ...(operation.needsKey ? ['-H "X-AGENT-KEY: $SOUK_KEY"'] : []),
    ...(operation.body === undefined
      ? []
      : [`-H "Content-Type: ${operation.body.mediaType}"`, dataOf(operation.body)])
  ]
  return parts.join(" ")
}

const dataOf = ({ example }: OpenApiView.BodyView) =>
  `-d '${(JSON.stringify(example, null, 2) ?? "").replaceAll("'", String.raw`'\''`)}'`

// -----------------------------------------------------------------------------
// Schemas
// -----------------------------------------------------------------------------

const schemas = (view: OpenApiView.OpenApiView) =>
  view.schemas.length === 0
    ? ""
    : `<section><h2 id="schemas">Schemas</h2>${each(view.schemas, ({ name, schema }) => {
        const id = anchor("schema", name)
        const own = fields(view, schema)
        return `<article id="${id}"><h3><a href="#${id}">${escape(name)}</a></h3>${
          own === "" ? `<p>${escape(OpenApiView.typeOf(schema))}</p>` : own
        }</article>`
      })}</section>`

const fields = (view: OpenApiView.OpenApiView, schema: unknown) => {
  const rows = view.fieldsOf(schema)
  return rows.length === 0 ? "" : table(rows, (type) => linked(view, type))
}

interface Row extends OpenApiView.FieldView {
  readonly note?: string
}

const table = (rows: ReadonlyArray<Row>, type: (type: string) => string) =>
  `<table>${each(
    rows,
    (row) =>
      `<tr><th scope="row"><code>${escape(row.name)}</code>${row.required ? "<b>*</b>" : ""}</th><td>${type(row.type)}${
        row.note === undefined ? "" : ` <small>${escape(row.note)}</small>`
      }</td><td>${inline(row.description)}</td></tr>`
  )}</table>`

/** Turns the names of schemas within a type in words into links. */
const linked = ({ schemas }: OpenApiView.OpenApiView, type: string) =>
  type
    .split(" ")
    .map((word) =>
      schemas.some(({ name }) => name === word)
        ? `<a href="#${anchor("schema", word)}">${escape(word)}</a>`
        : escape(word)
    )
    .join(" ")

// -----------------------------------------------------------------------------
// Text
// -----------------------------------------------------------------------------

const each = <A>(items: ReadonlyArray<A>, render: (item: A) => string) => items.map(render).join("")

const badge = (method: string) => `<b class="${method.toLowerCase()}">${escape(method)}</b>`

const code = (text: string) => `<pre><code>${escape(text)}</code></pre>`

/** The id of a part of the page. */
export const anchor = (kind: string, name: string) => `${kind}-${name.replace(/[^A-Za-z0-9_.-]+/gu, "-")}`

/** Paragraphs of text with code in backticks, which is all the markup that the document uses. */
const prose = (text: string) =>
  text.trim() === "" ? "" : each(text.trim().split(/\n\s*\n/u), (paragraph) => `<p>${inline(paragraph)}</p>`)

const inline = (text: string) => escape(text).replace(/`([^`]+)`/gu, "<code>$1</code>")

const entities: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;"
}

const escape = (text: string) => text.replace(/[&<>"']/gu, (sign) => entities[sign] ?? sign)
