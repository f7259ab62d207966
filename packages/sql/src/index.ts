/** @souk/sql: the stores of the marketplace on effect/sql, with their migrations. */
export * as SqliteClient from "./SqliteClient.ts"
export * as SqliteStore from "./SqliteStore.ts"
