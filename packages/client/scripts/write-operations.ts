/**
 * Writes what the client needs of the contract at run time: a line for each operation and a class for each code.
 *
 * The contract itself is many times the size of the client. A test fails when the files differ from what this writes;
 * `npm run generate -w @souk/client` writes them anew.
 */
import { failures, operationTable } from "@souk/api"
import type { Operation } from "@souk/api"
import type { Schema } from "effect"
import { writeFileSync } from "node:fs"
import { join } from "node:path"

const head = "// Written by scripts/write-operations.ts from the contract: do not edit.\n"

/** Where the files are. */
export const folder = join(import.meta.dirname, "../src/generated")

/** The text of each file. */
export const render = (): { readonly [file: string]: string } => ({
  "operations.ts": renderOperations(),
  "errors.ts": renderErrors()
})

// -----------------------------------------------------------------------------
// Operations
// -----------------------------------------------------------------------------

const renderOperations = () =>
  [
    head,
    `import type { OperationTable } from "@souk/api"\n\n`,
    "/** How each operation of the contract is called. */\n",
    "export const operations: OperationTable = {\n",
    Object.entries(operationTable())
      .map(
        ([group, calls]) => `  ${group}: {\n${Object.entries(calls).map(renderOperation).join(",\n")}\n  }`
      )
      .join(",\n"),
    "\n}\n"
  ].join("")

const renderOperation = ([name, { input, items, method, path }]: [string, Operation]): string => {
  const parts = [
    `method: "${method}"`,
    `path: "${path}"`,
    ...(input === undefined ? [] : [`input: "${input}"`]),
    ...(items === undefined ? [] : [`items: "${items}"`])
  ]
  return `    ${name}: { ${parts.join(", ")} }`
}

// -----------------------------------------------------------------------------
// Errors
// -----------------------------------------------------------------------------

const shared = ["_tag", "code", "message", "recovery", "cause", "retryAfterSeconds", "issues"]

const renderErrors = () => {
  const codes = Object.values(failures).map(({ to }) => ({
    tag: to.identifier,
    code: literalOf(to.fields.code),
    fields: Object.keys(to.fields).filter((name) => !shared.includes(name))
  }))
  return [
    head,
    `import type { Details } from "../Details.ts"\nimport { SoukError } from "../SoukError.ts"\n\n`,
    ...codes.map(
      ({ tag, code, fields }) =>
        `/** \`${code}\` */\nexport class ${tag}Error extends SoukError<"${code}"> {${
          fields.length === 0
            ? ""
            : `\n${fields.map((name) => `  declare readonly ${name}: Details<"${tag}">["${name}"]`).join("\n")}\n`
        }}\n\n`
    ),
    "/** The class of each code of the contract. */\n",
    "export const errorClasses = {\n",
    codes.map(({ tag, code }) => `  ${code}: ${tag}Error`).join(",\n"),
    "\n}\n"
  ].join("")
}

const literalOf = ({ ast }: Schema.Top): string => (ast._tag === "Literal" ? String(ast.literal) : "unknown")

if (import.meta.main)
  for (const [file, text] of Object.entries(render())) writeFileSync(join(folder, file), text)
