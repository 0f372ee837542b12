-- An account that is suspended keeps all it has, but nobody signs in with it. A password that an administrator made is to
-- be changed at the first sign-in.
ALTER TABLE accounts
  ADD COLUMN suspended_at timestamptz,
  ADD COLUMN suspended_because text NOT NULL DEFAULT '',
  ADD COLUMN password_temporary boolean NOT NULL DEFAULT false,
  ADD COLUMN last_seen_at timestamptz;
UPDATE accounts SET last_seen_at = (
  SELECT max(last_used_at) FROM sessions WHERE account_id = accounts.id AND last_used_at > '2000-01-01');

-- Who has to sign in with a second step.
ALTER TABLE settings
  ADD COLUMN two_step_required text NOT NULL DEFAULT 'nobody',
  ADD CONSTRAINT settings_two_step_required_known CHECK (two_step_required IN ('nobody', 'administrators', 'everybody'));

-- Opened on a device that the account did not know.
ALTER TABLE sessions ADD COLUMN new_device boolean NOT NULL DEFAULT false;

-- Without references: whoever fails to sign in waits for nobody, and what was noted outlives its account and session.
CREATE TABLE sign_ins (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  outcome text NOT NULL,
  device text NOT NULL,
  address text NOT NULL,
  new_device boolean NOT NULL DEFAULT false,
  session_id uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT sign_ins_outcome_known CHECK (outcome IN ('signed in', 'wrong password', 'wrong code', 'suspended'))
);
CREATE INDEX sign_ins_of_account ON sign_ins (account_id, created_at, id);
CREATE INDEX sign_ins_failed ON sign_ins (account_id, created_at) WHERE outcome <> 'signed in';
CREATE INDEX sign_ins_created_at ON sign_ins (created_at);
