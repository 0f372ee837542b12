-- What is counted: of which table, under which kind, on the day of which moment, worth how many cents. All but the
-- name are SQL.
CREATE TABLE counted (
  subject text NOT NULL,
  "table" text NOT NULL,
  kind text NOT NULL,
  at text NOT NULL,
  cents text NOT NULL,
  CONSTRAINT counted_subject_pk PRIMARY KEY (subject)
);

-- The counts by day. Writers of one day share sixteen slots, so that they seldom wait for each other; slot -1 holds
-- days that are settled.
CREATE TABLE counters (
  subject text NOT NULL,
  kind text NOT NULL,
  day date NOT NULL,
  slot smallint NOT NULL,
  count bigint NOT NULL,
  cents bigint NOT NULL,
  CONSTRAINT counters_subject_kind_day_slot_pk PRIMARY KEY (subject, kind, day, slot)
);
CREATE INDEX counters_unsettled ON counters (subject, kind) WHERE slot >= 0;

-- Settled days, added up by month.
CREATE TABLE settled_months (
  subject text NOT NULL,
  kind text NOT NULL,
  month date NOT NULL,
  count bigint NOT NULL,
  cents bigint NOT NULL,
  CONSTRAINT settled_months_subject_kind_month_pk PRIMARY KEY (subject, kind, month)
);

CREATE VIEW monthly_counters AS
  SELECT subject, kind, month, count, cents FROM settled_months
  UNION ALL
  SELECT subject, kind, date_trunc('month', day::timestamp)::date, count, cents FROM counters WHERE slot >= 0;

CREATE FUNCTION business_day(at timestamptz) RETURNS date LANGUAGE sql STABLE
  RETURN (at AT TIME ZONE (SELECT timezone FROM settings))::date;

-- The first moment of a business day. Where clocks go back over midnight, the earlier of the two.
CREATE FUNCTION day_start(day date) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
DECLARE
  start timestamptz := day::timestamp AT TIME ZONE (SELECT timezone FROM settings);
BEGIN
  RETURN CASE WHEN business_day(start - interval '1 hour') = day THEN start - interval '1 hour' ELSE start END;
END $$;

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

-- The same counts, taken from the rows themselves: what the counters must equal. The timezone is asked for once, not
-- for every row.
CREATE FUNCTION actual_counters() RETURNS TABLE (subject text, kind text, day date, count bigint, cents bigint)
LANGUAGE plpgsql STABLE AS $function$
DECLARE
  fact record;
  zone text := (SELECT timezone FROM settings);
BEGIN
  FOR fact IN SELECT * FROM counted LOOP
    RETURN QUERY EXECUTE format(
      'SELECT %1$L, (%2$s)::text, ((%3$s) AT TIME ZONE %4$L)::date, count(*), sum((%5$s)::bigint)::bigint FROM %6$I
       WHERE (%2$s) IS NOT NULL AND (%3$s) IS NOT NULL GROUP BY 2, 3',
      fact.subject, fact.kind, fact.at, zone, fact.cents, fact."table");
  END LOOP;
END $function$;

-- Settles past days: adds up what their writers kept apart, by day and by month. Who reads meanwhile sees the same sums.
CREATE PROCEDURE fold_counters() LANGUAGE sql AS $$
  -- One at a time; who only reads or counts goes on.
  LOCK TABLE settled_months IN SHARE ROW EXCLUSIVE MODE;
  WITH folded AS (
    DELETE FROM counters WHERE slot >= 0 AND day < business_day(now()) RETURNING *
  ), days AS (
    INSERT INTO counters (subject, kind, day, slot, count, cents)
    SELECT subject, kind, day, -1, sum(count), sum(cents) FROM folded GROUP BY subject, kind, day
    ON CONFLICT (subject, kind, day, slot)
    DO UPDATE SET count = counters.count + excluded.count, cents = counters.cents + excluded.cents
  )
  INSERT INTO settled_months (subject, kind, month, count, cents)
  SELECT subject, kind, date_trunc('month', day::timestamp)::date, sum(count), sum(cents) FROM folded GROUP BY 1, 2, 3
  ON CONFLICT (subject, kind, month)
  DO UPDATE SET count = settled_months.count + excluded.count, cents = settled_months.cents + excluded.cents;
$$;

-- Counts everything anew, for a business that changes its timezone.
CREATE PROCEDURE recount() LANGUAGE plpgsql AS $procedure$
BEGIN
  LOCK TABLE counters, settled_months IN EXCLUSIVE MODE;
  DELETE FROM counters;
  DELETE FROM settled_months;
  INSERT INTO counters (subject, kind, day, slot, count, cents)
    SELECT subject, kind, day, -1, count, cents FROM actual_counters();
  INSERT INTO settled_months (subject, kind, month, count, cents)
    SELECT subject, kind, date_trunc('month', day::timestamp)::date, sum(count), sum(cents) FROM counters GROUP BY 1, 2, 3;
END $procedure$;

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

CALL keep_counters();
