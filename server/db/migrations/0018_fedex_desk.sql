-- Who works on a Fedex order, and until when: a name as it was then, as in the ledger and the log. And when its price was
-- taken from the customer's balance; reversed, it is as if it never was.
ALTER TABLE fedex_orders
  ADD COLUMN claimed_by uuid,
  ADD COLUMN claimed_name text,
  ADD COLUMN claimed_until timestamptz,
  ADD COLUMN charged_at timestamptz,
  ADD CONSTRAINT fedex_orders_claim CHECK (num_nulls(claimed_by, claimed_name, claimed_until) IN (0, 3)),
  ADD CONSTRAINT fedex_orders_charge CHECK (charged_at IS NULL OR price_cents IS NOT NULL);

-- The revenue of Fedex orders, on the day they were charged.
INSERT INTO counted (subject, "table", kind, at, cents) VALUES
  ('fedex charges', 'fedex_orders', '''charged''', 'charged_at', 'price_cents');
CALL keep_counters();

-- SHA-256 of what is in a file: two orders with the same label are most likely a mistake.
ALTER TABLE files ADD COLUMN content_hash text;
UPDATE files SET content_hash = (
  SELECT encode(sha256(string_agg(data, '' ORDER BY position)), 'hex') FROM file_chunks WHERE file_id = files.id)
WHERE size > 0;

-- Parcels of one class weigh nearly the same, within an eighth, in whatever unit.
CREATE FUNCTION weight_class(weight numeric, unit text) RETURNS integer LANGUAGE sql IMMUTABLE
  RETURN floor(8 * ln(greatest(weight, 0.001) * CASE lower(unit)
    WHEN 'kg' THEN 2.2046 WHEN 'g' THEN 0.0022046 WHEN 'oz' THEN 0.0625 ELSE 1 END))::integer;
