-- The same moments with one look at the timezone instead of two: lists of a period and far pages ask for two of them.
CREATE OR REPLACE FUNCTION day_start(day date) RETURNS timestamptz LANGUAGE plpgsql STABLE AS $$
DECLARE
  zone text := (SELECT timezone FROM settings);
  start timestamptz := day::timestamp AT TIME ZONE zone;
  before timestamptz := start - interval '1 hour';
BEGIN
  RETURN CASE WHEN (before AT TIME ZONE zone)::date = day THEN before ELSE start END;
END $$;
