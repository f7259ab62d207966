/** @souk/server/redis: counts the requests of all nodes of a market in Redis. Needs `redis` beside it. */
export * as RedisRateLimits from "./RedisRateLimits.ts"
