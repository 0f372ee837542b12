-- When a Fedex order was completed or cancelled: the desk says how many were today and this week. Of orders that were
-- closed before, nobody knows.
ALTER TABLE fedex_orders
  ADD COLUMN closed_at timestamptz,
  ADD CONSTRAINT fedex_orders_closed CHECK (closed_at IS NULL OR status IN ('Completed', 'Cancelled'));

INSERT INTO counted (subject, "table", kind, at, cents) VALUES
  ('closed fedex orders', 'fedex_orders', 'status', 'closed_at', '0');
CALL keep_counters();
