-- Backups that servers made by themselves. They tell of files, not of the business, and are in no backup.
CREATE TABLE backups (
  id uuid PRIMARY KEY,
  file text NOT NULL,
  begun_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  -- Whoever makes it says so every few seconds.
  alive_at timestamptz NOT NULL DEFAULT clock_timestamp(),
  ended_at timestamptz,
  rows bigint,
  bytes bigint,
  balanced boolean,
  problem text NOT NULL DEFAULT ''
);
