/**
 * Creates the counters of the rate limits, which all nodes of a market share. Not written ahead: a crash of the server
 * begins them anew, and counting a request waits for no disk. Each is updated with each request of a caller, so pages
 * have room for it, and no index but that of the keys has to follow.
 */
export default [
  `CREATE UNLOGGED TABLE rate_limits (
    key text COLLATE "C" PRIMARY KEY,
    count integer NOT NULL,
    expires_at timestamptz NOT NULL
  ) WITH (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 10000)`
]
