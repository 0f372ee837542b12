-- As before, but asks for the timezone once instead of for every row: a million rows are counted in seconds.
CREATE OR REPLACE FUNCTION actual_counters() RETURNS TABLE (subject text, kind text, day date, count bigint, cents bigint)
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
