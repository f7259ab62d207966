/** @souk/sql/postgres: the store on PostgreSQL. Needs `@effect/sql-pg`, which `@souk/sql` itself does not. */
export * as PostgresStore from "./PostgresStore.ts"
