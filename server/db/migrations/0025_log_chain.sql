-- Links over the log, made in batches after the rows were written: nobody who writes waits for them. A link holds the rows
-- after the ones of the link before it, up to `until`, in the order of their time; late ones hold rows of a time that was
-- passed already, since the clock had been set back.
CREATE TABLE log_chain (
  number bigint PRIMARY KEY,
  until_at timestamptz NOT NULL,
  until_id uuid NOT NULL,
  late boolean NOT NULL,
  ids uuid[] NOT NULL,
  -- SHA-256 of each row, one behind the other.
  hashes bytea NOT NULL,
  -- Rows in the chain, with these.
  total bigint NOT NULL,
  chained_at timestamptz NOT NULL,
  -- SHA-256 of all this and of the hash before.
  hash bytea NOT NULL
);
CREATE INDEX log_chain_late ON log_chain (number) WHERE late;

-- Up to which link the chain was checked, what its hash was, and which links were found broken.
ALTER TABLE settings
  ADD COLUMN chain_number bigint,
  ADD COLUMN chain_hash text,
  ADD COLUMN chain_broken bigint[];
