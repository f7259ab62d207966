/** The page that lists each line of the contract with the test that shows it. */
import { codes, endpoints, events, moves } from "./requirements.ts"

const section = (title: string, what: string, suite: string, lines: ReadonlyArray<string>): string => `
## ${title}

| ${what} | Test |
| --- | --- |
${lines.map((line) => `| \`${line}\` | ${suite} \u203a ${line} |`).join("\n")}
`

/** The whole page, from the very lists that the tests are made of. */
export const coverage = `# What of the contract is shown by tests

Each endpoint, move, event and error code of the contract, with the test that shows it. All of them are in [contract.test.ts](../packages/server/test/contract/contract.test.ts): one test for each line, over HTTP, on a market of its own. \`npm run docs:coverage\` writes this page from the lists that those tests are made of; the tests fail where the lists and the market differ, and where this page is not what they give.

- **An endpoint** is shown where a story that uses the whole market calls it with success. [Document.test.ts](../packages/server/test/Document.test.ts) holds every reply of that story against the OpenAPI document.
- **A move** is shown where an entity in the one state is in the other after it was made. [stateTables.test.ts](../packages/core/test/rules/stateTables.test.ts) holds the tables against the contract's words, and shows that every other move is refused.
- **An event** is shown where those who are to hear of it do, and nobody else.
- **A code** is shown where a caller is refused with it and its status.
${section("Endpoints", "Endpoint", "the endpoint", endpoints)}${section("Moves", "Move", "the move", moves)}${section("Events", "Event", "the event", events)}${section("Error codes", "Status and code", "the code", codes)}`
