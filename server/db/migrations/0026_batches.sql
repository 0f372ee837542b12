-- Which prepaid codes a label type's labels take; null where they carry what the shop sends. Until now the uid told.
ALTER TABLE label_types
  ADD COLUMN codes text,
  ADD CONSTRAINT label_types_codes CHECK (
    codes IS NULL OR kind = 'usps' AND codes IN ('priority', 'express', 'ground_oz', 'ground_lbs'));
UPDATE label_types SET codes = lower(uid)
  WHERE kind = 'usps' AND lower(uid) IN ('priority', 'express', 'ground_oz', 'ground_lbs');

-- When codes of a type are low: they last no longer than so many days beyond the days that new ones take to arrive, or
-- fewer than so many are left. A type without a row has the program's own thresholds.
CREATE TABLE code_alerts (
  type text PRIMARY KEY,
  days integer NOT NULL,
  lead_days integer NOT NULL,
  codes integer,
  CONSTRAINT code_alerts_type_known CHECK (type IN ('priority', 'express', 'ground_oz', 'ground_lbs')),
  CONSTRAINT code_alerts_sensible CHECK (days >= 7 AND lead_days >= 0 AND codes > 0)
);

-- The codes that were registered together: who did, when, and where they came from. Codes refer to it without a
-- reference: servers of an earlier version go on registering while this one is brought up to date.
CREATE TABLE code_batches (
  id uuid PRIMARY KEY,
  type text NOT NULL,
  template text NOT NULL,
  first text NOT NULL,
  last text NOT NULL,
  amount integer NOT NULL,
  note text NOT NULL DEFAULT '',
  file_id uuid REFERENCES files,
  -- A name as it was then, as in the ledger and the log; null where nobody noted it.
  actor text,
  actor_kind text,
  actor_id uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  search tsvector GENERATED ALWAYS AS (search_keys(note, id::text || chr(31) || first || chr(31) || last)) STORED,
  CONSTRAINT code_batches_type_known CHECK (type IN ('priority', 'express', 'ground_oz', 'ground_lbs')),
  CONSTRAINT code_batches_template_known CHECK (template IN ('evs', 'indica', 'pitney')),
  CONSTRAINT code_batches_amount CHECK (amount > 0)
);
CREATE INDEX code_batches_newest ON code_batches (created_at, id);
CREATE INDEX code_batches_of_type ON code_batches (type, created_at, id);
CREATE INDEX code_batches_file ON code_batches (file_id) WHERE file_id IS NOT NULL;
CREATE INDEX code_batches_search ON code_batches USING gin (search) WITH (gin_pending_list_limit = 512);

-- From here on nobody registers or takes a code until this is done.
LOCK TABLE tracking_codes IN SHARE ROW EXCLUSIVE MODE;
-- Codes have named their batch for a while, and the log tells the rest. Older ones stay without.
INSERT INTO code_batches (id, type, template, first, last, amount, actor, actor_kind, actor_id, created_at)
  SELECT batch_id, type, template, coalesce(after->>'first', lowest), coalesce(after->>'last', highest),
    coalesce((after->>'amount')::integer, codes), admin, actor_kind, actor_id, registered_at
  FROM (
    SELECT batch_id, min(type) AS type, min(template) AS template, min(code) AS lowest, max(code) AS highest,
      count(*)::integer AS codes, min(created_at) AS registered_at
    FROM tracking_codes WHERE batch_id IS NOT NULL GROUP BY batch_id
  ) AS batches
  LEFT JOIN LATERAL (
    SELECT after, admin, actor_kind, actor_id FROM logs WHERE subject_id = batch_id AND logs.type = 'tracking' AND before IS NULL AND after ? 'amount'
    ORDER BY created_at, id LIMIT 1
  ) AS entry ON true;

-- Codes used by day: how long the rest lasts. By batch all that are there, and those that are used.
INSERT INTO counted (subject, "table", kind, at, cents) VALUES
  ('used codes', 'tracking_codes', 'type', 'used_at', '0'),
  ('codes by batch', 'tracking_codes', 'batch_id', 'created_at', '0'),
  ('used codes by batch', 'tracking_codes', 'CASE WHEN used_at IS NOT NULL THEN batch_id END', 'created_at', '0'),
  ('code batches', 'code_batches', 'type', 'created_at', '0');
-- Only what counts codes is made anew: whoever writes to other tables is not waited for.
DO $$
DECLARE
  others counted[] := ARRAY(SELECT counted FROM counted WHERE "table" NOT IN ('tracking_codes', 'code_batches'));
BEGIN
  DELETE FROM counted WHERE "table" NOT IN ('tracking_codes', 'code_batches');
  CALL keep_counters();
  INSERT INTO counters (subject, kind, day, slot, count, cents)
    SELECT subject, kind, day, 0, count, cents FROM actual_counters()
    WHERE subject IN ('used codes', 'codes by batch', 'used codes by batch', 'code batches');
  INSERT INTO counted SELECT * FROM unnest(others);
END $$;
