-- Some at a time, so that nobody who buys waits for long; who is just being changed comes later.
DO $$
DECLARE
  ids uuid[];
  last uuid;
BEGIN
  LOOP
    ids := ARRAY(
      SELECT id FROM customers WHERE (last IS NULL OR id > last) AND has_balance <> (balance_cents > 0)
      ORDER BY id LIMIT 500 FOR NO KEY UPDATE SKIP LOCKED);
    UPDATE customers SET has_balance = balance_cents > 0 WHERE id = ANY (ids);
    last := ids[array_upper(ids, 1)];
    COMMIT;
    CONTINUE WHEN last IS NOT NULL;
    EXIT WHEN NOT EXISTS (SELECT FROM customers WHERE has_balance <> (balance_cents > 0));
    PERFORM pg_sleep(0.1);
  END LOOP;
END $$;

CREATE INDEX CONCURRENTLY IF NOT EXISTS customers_by_balance ON customers (has_balance, created_at, id);
