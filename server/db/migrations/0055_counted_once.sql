-- The same counts; what is counted as what is computed once for each row. By shop, which asks for the customer of each
-- order, was more than half of all counting.
CREATE OR REPLACE FUNCTION actual_counters() RETURNS TABLE (subject text, kind text, day date, count bigint, cents bigint)
LANGUAGE plpgsql STABLE AS $function$
DECLARE
  fact record;
  zone text := (SELECT timezone FROM settings);
BEGIN
  FOR fact IN SELECT * FROM counted LOOP
    RETURN QUERY EXECUTE format(
      -- Without OFFSET, PostgreSQL would put each expression in all places that name it.
      'SELECT %1$L, facts.kind, facts.day, count(*), sum(facts.cents)::bigint
       FROM (SELECT (%2$s)::text AS kind, ((%3$s) AT TIME ZONE %4$L)::date AS day, (%5$s)::bigint AS cents FROM %6$I
             WHERE (%3$s) IS NOT NULL OFFSET 0) AS facts
       WHERE facts.kind IS NOT NULL GROUP BY 2, 3',
      fact.subject, fact.kind, fact.at, zone, fact.cents, fact."table");
  END LOOP;
END $function$;
