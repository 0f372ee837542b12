-- When a session's owner last showed that it is them. Signing in does.
ALTER TABLE sessions ADD COLUMN confirmed_at timestamptz;
UPDATE sessions SET confirmed_at = created_at;
ALTER TABLE sessions ALTER COLUMN confirmed_at SET DEFAULT now(), ALTER COLUMN confirmed_at SET NOT NULL;

-- What an account signs in with beside or instead of its password. The secret half never leaves the device.
CREATE TABLE passkeys (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts (id) ON DELETE CASCADE,
  credential_id text NOT NULL UNIQUE,
  public_key bytea NOT NULL,
  rp_id text NOT NULL,
  counter bigint NOT NULL,
  transports text[] NOT NULL,
  backed_up boolean NOT NULL,
  name text NOT NULL,
  replaces_password boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);
CREATE INDEX passkeys_account_id_index ON passkeys (account_id);
CREATE TABLE passkey_challenges (
  challenge text PRIMARY KEY,
  account_id uuid,
  network text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX passkey_challenges_network_index ON passkey_challenges (network, created_at);
CREATE INDEX passkey_challenges_created_at_index ON passkey_challenges (created_at);
