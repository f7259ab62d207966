/** Creates the note of how far the feed was forgotten, which outlives the events. */
export default [
  `CREATE TABLE feed (
    is_only INTEGER NOT NULL PRIMARY KEY DEFAULT 1 CHECK (is_only = 1),
    forgotten INTEGER NOT NULL DEFAULT 0
  ) STRICT`,
  "INSERT INTO feed DEFAULT VALUES"
]
