-- The same counters with less work: rows that count alike are added up first, and only what is left of them is counted
-- under each subject. Sixteen orders made together are one or two such groups; sixteen customers who paid are none.
CREATE OR REPLACE PROCEDURE keep_counters() LANGUAGE plpgsql AS $procedure$
DECLARE
  counted_table record;
  operation text;
  changed text;
  counter text;
BEGIN
  FOR counted_table IN
    SELECT "table" AS name,
      string_agg(format('(%1$s)::text AS kind%2$s, ((%3$s) AT TIME ZONE zone)::date AS day%2$s, (%4$s)::bigint AS cents%2$s',
        kind, place, at, cents), ', ' ORDER BY place) AS looked_at,
      string_agg(format('kind%1$s, day%1$s', place), ', ' ORDER BY place) AS alike,
      string_agg(format('sum(change * cents%1$s) AS cents%1$s', place), ', ' ORDER BY place) AS sums,
      string_agg(format('sum(change * cents%s) <> 0', place), ' OR ' ORDER BY place) AS unequal,
      string_agg(format('(%1$L, kind%2$s, day%2$s, cents%2$s)', subject, place), ', ' ORDER BY place) AS facts
    FROM (SELECT *, row_number() OVER (PARTITION BY "table" ORDER BY subject) AS place FROM counted) AS placed
    GROUP BY "table"
  LOOP
    FOREACH operation IN ARRAY ARRAY['insert', 'update', 'delete'] LOOP
      counter := format('count_%s_%s', counted_table.name, operation);
      changed := CASE operation
        WHEN 'insert' THEN 'SELECT *, 1 AS change FROM added'
        WHEN 'delete' THEN 'SELECT *, -1 AS change FROM removed'
        ELSE 'SELECT *, 1 AS change FROM added UNION ALL SELECT *, -1 FROM removed'
      END;
      EXECUTE format($function$
        CREATE OR REPLACE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$
        DECLARE
          zone text := (SELECT timezone FROM settings);
        BEGIN
          INSERT INTO counters (subject, kind, day, slot, count, cents)
          SELECT fact.subject, fact.kind, fact.day, counter_slot(), sum(change), sum(fact.cents)
          FROM (
            SELECT %s, sum(change) AS change, %s
            FROM (SELECT %s, change FROM (%s) AS changed) AS looked_at
            GROUP BY %s
            HAVING sum(change) <> 0 OR %s
          ) AS alike CROSS JOIN LATERAL (VALUES %s) AS fact (subject, kind, day, cents)
          WHERE fact.kind IS NOT NULL AND fact.day IS NOT NULL
          GROUP BY fact.subject, fact.kind, fact.day
          HAVING sum(change) <> 0 OR sum(fact.cents) <> 0
          -- Everyone in the same order, or two writers could wait for each other.
          ORDER BY fact.subject, fact.kind, fact.day
          ON CONFLICT (subject, kind, day, slot)
          DO UPDATE SET count = counters.count + excluded.count, cents = counters.cents + excluded.cents;
          RETURN NULL;
        END $body$ $function$,
        counter, counted_table.alike, counted_table.sums, counted_table.looked_at, changed, counted_table.alike,
        counted_table.unequal, counted_table.facts);
      CONTINUE WHEN EXISTS (
        SELECT FROM pg_trigger WHERE tgrelid = counted_table.name::regclass AND tgname = format('count_%s', operation));
      EXECUTE format('CREATE TRIGGER %I AFTER %s ON %I %s FOR EACH STATEMENT EXECUTE FUNCTION %I()',
        format('count_%s', operation), operation, counted_table.name,
        CASE operation
          WHEN 'insert' THEN 'REFERENCING NEW TABLE AS added'
          WHEN 'delete' THEN 'REFERENCING OLD TABLE AS removed'
          ELSE 'REFERENCING OLD TABLE AS removed NEW TABLE AS added'
        END,
        counter);
    END LOOP;
  END LOOP;
END $procedure$;

CALL keep_counters();

-- Every purchase changes its customer's row, and hardly ever what is counted of it. A trigger for each row looks at
-- that before it is called, so that nothing is counted in vain; one for the statement cannot.
CREATE FUNCTION count_changed_customer() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  INSERT INTO counters (subject, kind, day, slot, count, cents)
  SELECT 'customers', kind, business_day(created_at), counter_slot(), sum(change), 0
  FROM (
    VALUES (NEW.verified_at, NEW.active, NEW.created_at, 1), (OLD.verified_at, OLD.active, OLD.created_at, -1)
  ) AS changed (verified_at, active, created_at, change)
  CROSS JOIN LATERAL (
    SELECT CASE WHEN verified_at IS NOT NULL THEN 'verified' WHEN active THEN 'new' ELSE 'declined' END AS kind
  ) AS counted
  GROUP BY 2, 3 HAVING sum(change) <> 0 ORDER BY 2, 3
  ON CONFLICT (subject, kind, day, slot) DO UPDATE SET count = counters.count + excluded.count;
  RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER count_update AFTER UPDATE ON customers FOR EACH ROW
  WHEN ((OLD.verified_at, OLD.active, OLD.created_at) IS DISTINCT FROM (NEW.verified_at, NEW.active, NEW.created_at))
  EXECUTE FUNCTION count_changed_customer();
