-- Lists with their search and filters, kept under a name.
CREATE TABLE saved_views (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  screen text NOT NULL,
  name text NOT NULL,
  query text NOT NULL,
  shared boolean NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT saved_views_screen_known CHECK (screen IN ('orders', 'bulk-orders', 'fedex', 'users', 'new-users', 'invoices', 'transfers', 'usps', 'staff', 'logs'))
);
CREATE UNIQUE INDEX saved_views_name_key ON saved_views (account_id, screen, lower(name));
CREATE INDEX saved_views_shared ON saved_views (screen) WHERE shared;

-- A newcomer who was disabled is declined: counted apart from those who wait.
LOCK TABLE customers IN SHARE ROW EXCLUSIVE MODE;
UPDATE counted SET kind = 'CASE WHEN verified_at IS NOT NULL THEN ''verified'' WHEN active THEN ''new'' ELSE ''declined'' END'
  WHERE subject = 'customers';
-- Only what counts customers is made anew: whoever writes to other tables is not waited for.
DO $$
DECLARE
  others counted[] := ARRAY(SELECT counted FROM counted WHERE "table" <> 'customers');
BEGIN
  DELETE FROM counted WHERE "table" <> 'customers';
  CALL keep_counters();
  INSERT INTO counted SELECT * FROM unnest(others);
END $$;
INSERT INTO counters (subject, kind, day, slot, count, cents)
  SELECT 'customers', kind, business_day(created_at), 0, sum(change), 0
  FROM customers, (VALUES ('new', -1), ('declined', 1)) AS changes (kind, change)
  WHERE verified_at IS NULL AND NOT active GROUP BY kind, business_day(created_at)
  ON CONFLICT (subject, kind, day, slot) DO UPDATE SET count = counters.count + excluded.count;
