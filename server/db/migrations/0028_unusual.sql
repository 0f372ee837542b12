-- What looked unusual: once for each rule, whom it is about, and business day. Without references: it is a record of what
-- was seen, and outlives whom it names.
CREATE TABLE unusual_events (
  id uuid PRIMARY KEY,
  rule text NOT NULL,
  subject uuid NOT NULL,
  day date NOT NULL,
  name text NOT NULL,
  customer_id uuid,
  account_id uuid,
  seen bigint NOT NULL,
  usual bigint,
  orders uuid[] NOT NULL DEFAULT '{}',
  dismissed_at timestamptz,
  dismissed_by uuid,
  dismissed_name text,
  dismissed_because text,
  created_at timestamptz NOT NULL DEFAULT now(),
  search tsvector GENERATED ALWAYS AS (search_keys(name, id::text)) STORED,
  CONSTRAINT unusual_events_rule_known CHECK (rule IN ('spend', 'refunds', 'credits', 'address', 'deposits', 'night')),
  CONSTRAINT unusual_events_dismissal CHECK (num_nulls(dismissed_at, dismissed_by, dismissed_name, dismissed_because) IN (0, 4))
);
CREATE UNIQUE INDEX unusual_events_once ON unusual_events (rule, subject, day);
CREATE INDEX unusual_events_newest ON unusual_events (created_at, id);
CREATE INDEX unusual_events_open ON unusual_events (created_at, id) WHERE dismissed_at IS NULL;
CREATE INDEX unusual_events_dismissed ON unusual_events (created_at, id) WHERE dismissed_at IS NOT NULL;
CREATE INDEX unusual_events_of_rule ON unusual_events (rule, created_at, id);
CREATE INDEX unusual_events_of_customer ON unusual_events (customer_id, created_at, id);
CREATE INDEX unusual_events_search ON unusual_events USING gin (search) WITH (gin_pending_list_limit = 512);
INSERT INTO counted (subject, "table", kind, at, cents) VALUES
  ('unusual events', 'unusual_events', 'CASE WHEN dismissed_at IS NULL THEN ''open'' ELSE ''dismissed'' END', 'created_at', '0');
-- Only what counts this table is made: whoever writes to other tables is not waited for.
DO $$
DECLARE
  others counted[] := ARRAY(SELECT counted FROM counted WHERE "table" <> 'unusual_events');
BEGIN
  DELETE FROM counted WHERE "table" <> 'unusual_events';
  CALL keep_counters();
  INSERT INTO counted SELECT * FROM unnest(others);
END $$;

-- How far orders and transfers were looked through, and how many orders went to an address on a day.
CREATE TABLE unusual_looks (
  source text PRIMARY KEY,
  until_at timestamptz NOT NULL,
  until_id uuid NOT NULL
);
CREATE TABLE address_days (
  day date NOT NULL,
  address uuid NOT NULL,
  name text NOT NULL,
  orders integer NOT NULL,
  first uuid[] NOT NULL,
  customer_id uuid,
  CONSTRAINT address_days_pk PRIMARY KEY (day, address)
);

-- What a business day came to, as it was known when the day ended.
CREATE TABLE day_summaries (
  day date PRIMARY KEY,
  summary jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

-- From how much on each rule speaks up; null where it is off, and nothing where that was never changed.
ALTER TABLE settings ADD COLUMN unusual_rules jsonb NOT NULL DEFAULT '{}';

ALTER TABLE saved_views
  DROP CONSTRAINT saved_views_screen_known,
  ADD CONSTRAINT saved_views_screen_known CHECK (screen IN ('orders', 'bulk-orders', 'fedex', 'users', 'new-users', 'invoices', 'transfers', 'usps', 'staff', 'logs', 'unusual'));
