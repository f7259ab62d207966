/** @souk/sql/postgres: the store on PostgreSQL, and the rate limits. Needs `@effect/sql-pg`, which `@souk/sql` itself does not. */
export * as PostgresRateLimits from "./PostgresRateLimits.ts"
export * as PostgresStore from "./PostgresStore.ts"
