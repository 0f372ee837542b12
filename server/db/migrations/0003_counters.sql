CREATE FUNCTION business_day(at timestamptz) RETURNS date LANGUAGE sql STABLE
  RETURN (at AT TIME ZONE (SELECT timezone FROM settings))::date;
--> statement-breakpoint
-- Makes, for every table named in "counted", triggers that add each change to "counters".
-- Statement triggers: a million rows inserted at once cost one addition per kind and day.
CREATE PROCEDURE keep_counters() LANGUAGE plpgsql AS $procedure$
DECLARE
  counted_table record;
  operation text;
  changed text;
BEGIN
  FOR counted_table IN
    SELECT "table" AS name,
      string_agg(format(
        'SELECT %L AS subject, (%s)::text AS kind, business_day(%s) AS day, change, (%s)::bigint AS cents FROM changed',
        subject, kind, at, cents), ' UNION ALL ' ORDER BY subject) AS facts
    FROM counted GROUP BY "table"
  LOOP
    FOREACH operation IN ARRAY ARRAY['insert', 'update', 'delete'] LOOP
      changed := CASE operation
        WHEN 'insert' THEN 'SELECT *, 1 AS change FROM added'
        WHEN 'delete' THEN 'SELECT *, -1 AS change FROM removed'
        ELSE 'SELECT *, 1 AS change FROM added UNION ALL SELECT *, -1 FROM removed'
      END;
      EXECUTE format($function$
        CREATE OR REPLACE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$
        BEGIN
          INSERT INTO counters (subject, kind, day, slot, count, cents)
          WITH changed AS (%s), facts AS (%s)
          SELECT subject, kind, day, pg_backend_pid() %% 16, sum(change), sum(change * cents)
          FROM facts WHERE kind IS NOT NULL AND day IS NOT NULL
          GROUP BY subject, kind, day
          HAVING sum(change) <> 0 OR sum(change * cents) <> 0
          -- Everyone in the same order, or two writers could wait for each other.
          ORDER BY subject, kind, day
          ON CONFLICT (subject, kind, day, slot)
          DO UPDATE SET count = counters.count + excluded.count, cents = counters.cents + excluded.cents;
          RETURN NULL;
        END $body$ $function$,
        format('count_%s_%s', counted_table.name, operation), changed, counted_table.facts);
      EXECUTE format('CREATE OR REPLACE TRIGGER %I AFTER %s ON %I %s FOR EACH STATEMENT EXECUTE FUNCTION %I()',
        format('count_%s', operation), operation, counted_table.name,
        CASE operation
          WHEN 'insert' THEN 'REFERENCING NEW TABLE AS added'
          WHEN 'delete' THEN 'REFERENCING OLD TABLE AS removed'
          ELSE 'REFERENCING OLD TABLE AS removed NEW TABLE AS added'
        END,
        format('count_%s_%s', counted_table.name, operation));
    END LOOP;
  END LOOP;
END $procedure$;
--> statement-breakpoint
-- The same counts, taken from the rows themselves: what the counters must equal.
CREATE FUNCTION actual_counters() RETURNS TABLE (subject text, kind text, day date, count bigint, cents bigint)
LANGUAGE plpgsql STABLE AS $function$
DECLARE
  fact record;
BEGIN
  FOR fact IN SELECT * FROM counted LOOP
    RETURN QUERY EXECUTE format(
      'SELECT %L, (%s)::text, business_day(%s), count(*), sum((%s)::bigint)::bigint FROM %I
       WHERE (%2$s) IS NOT NULL AND (%3$s) IS NOT NULL GROUP BY 2, 3',
      fact.subject, fact.kind, fact.at, fact.cents, fact."table");
  END LOOP;
END $function$;
--> statement-breakpoint
-- Counts everything anew, for a business that changes its timezone.
CREATE PROCEDURE recount() LANGUAGE plpgsql AS $procedure$
BEGIN
  LOCK TABLE counters IN EXCLUSIVE MODE;
  DELETE FROM counters;
  INSERT INTO counters (subject, kind, day, slot, count, cents)
    SELECT subject, kind, day, 0, count, cents FROM actual_counters();
END $procedure$;
--> statement-breakpoint
INSERT INTO counted (subject, "table", kind, at, cents) VALUES
  ('orders', 'orders', 'CASE WHEN refunded_at IS NULL THEN ''Active'' ELSE ''Refunded'' END', 'created_at', 'price_cents'),
  ('orders by label type', 'orders', 'label_type_id', 'created_at', 'price_cents'),
  ('bulk orders', 'bulk_orders', '''All''', 'created_at', '0'),
  ('fedex orders', 'fedex_orders', 'status', 'created_at', '0'),
  ('customers', 'customers', 'CASE WHEN verified_at IS NULL THEN ''new'' ELSE ''verified'' END', 'created_at', '0'),
  ('invoices', 'invoices', 'status', 'created_at', 'amount_cents'),
  ('deposits', 'invoices', 'payment_method', 'paid_at', 'amount_cents'),
  ('tracking codes', 'tracking_codes', 'type || CASE WHEN used_at IS NULL THEN '' left'' ELSE '' used'' END', 'created_at', '0'),
  ('logs', 'logs', 'type', 'created_at', '0');
--> statement-breakpoint
CALL keep_counters();
