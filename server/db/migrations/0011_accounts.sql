-- Who made a change, beside the name they had: names may be chosen, changed and reused.
ALTER TABLE logs ADD COLUMN actor_kind text;
ALTER TABLE logs ADD COLUMN actor_id uuid;
ALTER TABLE transfers ADD COLUMN actor_kind text;
ALTER TABLE transfers ADD COLUMN actor_id uuid;
-- Guessing: how long the next try has to wait, and the browsers that do not have to.
CREATE TABLE sign_in_limits (
  guesser text PRIMARY KEY NOT NULL,
  tries integer DEFAULT 0 NOT NULL,
  tried_at timestamptz DEFAULT now() NOT NULL,
  failures integer DEFAULT 0 NOT NULL,
  told_at timestamptz
);
CREATE INDEX sign_in_limits_tried_at_index ON sign_in_limits (tried_at);
CREATE TABLE known_devices (
  token_hash text NOT NULL,
  account_id uuid NOT NULL,
  created_at timestamptz DEFAULT now() NOT NULL,
  last_used_at timestamptz DEFAULT now() NOT NULL,
  CONSTRAINT known_devices_account_id_token_hash_pk PRIMARY KEY(account_id,token_hash)
);
ALTER TABLE known_devices ADD CONSTRAINT known_devices_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts(id) ON DELETE CASCADE;
CREATE INDEX known_devices_token_hash_index ON known_devices (token_hash);
CREATE INDEX known_devices_last_used_at_index ON known_devices (last_used_at);
ALTER TABLE sessions ADD COLUMN known_device text;
ALTER TABLE sessions ADD COLUMN failures_before integer DEFAULT 0 NOT NULL;
