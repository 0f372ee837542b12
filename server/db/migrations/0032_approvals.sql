-- What staff asked for beyond their limits. Who asked and who decided may be deleted later: it stays on record.
CREATE TABLE approvals (
  id uuid PRIMARY KEY,
  act text NOT NULL,
  -- What it would change: of two who ask for the same while the first waits, one request is made.
  thing text NOT NULL,
  customer_id uuid NOT NULL REFERENCES customers,
  customer_active boolean NOT NULL,
  reference uuid,
  reference_name text NOT NULL DEFAULT '',
  amount_cents bigint NOT NULL,
  reason text NOT NULL,
  asked_by uuid NOT NULL,
  asked_name text NOT NULL,
  status text NOT NULL DEFAULT 'waiting',
  decided_by uuid,
  decided_name text,
  decided_because text NOT NULL DEFAULT '',
  decided_at timestamptz,
  expires_at timestamptz NOT NULL DEFAULT now() + interval '1 day',
  created_at timestamptz NOT NULL DEFAULT now(),
  search tsvector GENERATED ALWAYS AS (search_keys(asked_name, id::text || chr(31) || coalesce(reference::text, ''))) STORED,
  CONSTRAINT approvals_act_known CHECK (act IN ('credit', 'refund', 'deposit')),
  CONSTRAINT approvals_status_known CHECK (status IN ('waiting', 'approved', 'declined', 'failed', 'expired')),
  CONSTRAINT approvals_amount_positive CHECK (amount_cents > 0),
  CONSTRAINT approvals_not_own CHECK (decided_by <> asked_by),
  CONSTRAINT approvals_decision CHECK (num_nulls(decided_by, decided_name, decided_at) = CASE WHEN status IN ('waiting', 'expired') THEN 3 ELSE 0 END)
);
CREATE UNIQUE INDEX approvals_one_waiting ON approvals (thing) WHERE status = 'waiting';
CREATE INDEX approvals_ending ON approvals (expires_at) WHERE status = 'waiting';
CREATE INDEX approvals_newest ON approvals (created_at, id);
CREATE INDEX approvals_of_status ON approvals (status, created_at, id);
CREATE INDEX approvals_of_asker ON approvals (asked_by, created_at, id);
CREATE INDEX approvals_of_customer ON approvals (customer_id, created_at, id);
CREATE INDEX approvals_search ON approvals USING gin (search) WITH (gin_pending_list_limit = 512);
INSERT INTO counted (subject, "table", kind, at, cents) VALUES ('approvals', 'approvals', 'status', 'created_at', '0');
-- Only what counts this table is made: whoever writes to other tables is not waited for.
DO $$
DECLARE
  others counted[] := ARRAY(SELECT counted FROM counted WHERE "table" <> 'approvals');
BEGIN
  DELETE FROM counted WHERE "table" <> 'approvals';
  CALL keep_counters();
  INSERT INTO counted SELECT * FROM unnest(others);
END $$;

-- What is above a staff account's limit becomes a request instead of a refusal.
ALTER TABLE settings ADD COLUMN staff_approvals boolean NOT NULL DEFAULT false;

ALTER TABLE saved_views
  DROP CONSTRAINT saved_views_screen_known,
  ADD CONSTRAINT saved_views_screen_known CHECK (screen IN ('orders', 'bulk-orders', 'fedex', 'users', 'new-users', 'invoices', 'transfers', 'usps', 'staff', 'logs', 'unusual', 'approvals'));
