-- Parts of the log that were written to files, oldest first: whole links of its chain, those of one month. A part's rows
-- are deleted once its file is complete, and its links but for the last, after which the chain in here goes on.
CREATE TABLE log_archives (
  file text PRIMARY KEY,
  first_link bigint NOT NULL UNIQUE,
  last_link bigint NOT NULL UNIQUE,
  rows bigint NOT NULL,
  -- Of the file's lines; null until it is complete.
  sha256 text,
  -- Whoever works at it says so every few seconds.
  alive_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Up to which link its rows are deleted, and how many these were.
  removed_link bigint NOT NULL,
  removed_rows bigint NOT NULL DEFAULT 0,
  CONSTRAINT log_archives_removed_after_written CHECK (removed_rows = 0 OR sha256 IS NOT NULL),
  CONSTRAINT log_archives_in_order CHECK (first_link - 1 <= removed_link AND removed_link <= last_link)
);
