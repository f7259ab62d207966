/** @souk/sql: the stores of the marketplace on effect/sql, with their migrations; `@souk/sql/postgres` is an entry of its own. */
export * as SqliteClient from "./SqliteClient.ts"
export { DatabaseInUse } from "./SqliteClient.ts"
export * as SqliteStore from "./SqliteStore.ts"
