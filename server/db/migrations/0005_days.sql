-- The first moment of a business day. Where clocks go back over midnight, the earlier of the two.
CREATE FUNCTION day_start(day date) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
DECLARE
  start timestamptz := day::timestamp AT TIME ZONE (SELECT timezone FROM settings);
BEGIN
  RETURN CASE WHEN business_day(start - interval '1 hour') = day THEN start - interval '1 hour' ELSE start END;
END $$;
--> statement-breakpoint
-- Adds up what the writers of past days kept apart. Who reads meanwhile sees the same sums.
CREATE PROCEDURE fold_counters() LANGUAGE sql AS $$
  WITH folded AS (DELETE FROM counters WHERE slot <> 0 AND day < business_day(now()) RETURNING *)
  INSERT INTO counters (subject, kind, day, slot, count, cents)
  SELECT subject, kind, day, 0, sum(count), sum(cents) FROM folded GROUP BY subject, kind, day
  ON CONFLICT (subject, kind, day, slot)
  DO UPDATE SET count = counters.count + excluded.count, cents = counters.cents + excluded.cents;
$$;
