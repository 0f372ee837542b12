CREATE TABLE "settled_months" (
	"subject" text NOT NULL,
	"kind" text NOT NULL,
	"month" date NOT NULL,
	"count" bigint NOT NULL,
	"cents" bigint NOT NULL,
	CONSTRAINT "settled_months_subject_kind_month_pk" PRIMARY KEY("subject","kind","month")
);
--> statement-breakpoint
CREATE INDEX "counters_unsettled" ON "counters" USING btree ("subject","kind") WHERE "counters"."slot" >= 0;--> statement-breakpoint
CREATE VIEW monthly_counters AS
  SELECT subject, kind, month, count, cents FROM settled_months
  UNION ALL
  SELECT subject, kind, date_trunc('month', day::timestamp)::date, count, cents FROM counters WHERE slot >= 0;
--> statement-breakpoint
-- Settles past days: adds up what their writers kept apart, by day and by month. Who reads meanwhile sees the same sums.
CREATE OR REPLACE PROCEDURE fold_counters() LANGUAGE sql AS $$
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
--> statement-breakpoint
CREATE OR REPLACE PROCEDURE recount() LANGUAGE plpgsql AS $procedure$
BEGIN
  LOCK TABLE counters, settled_months IN EXCLUSIVE MODE;
  DELETE FROM counters;
  DELETE FROM settled_months;
  INSERT INTO counters (subject, kind, day, slot, count, cents)
    SELECT subject, kind, day, -1, count, cents FROM actual_counters();
  INSERT INTO settled_months (subject, kind, month, count, cents)
    SELECT subject, kind, date_trunc('month', day::timestamp)::date, sum(count), sum(cents) FROM counters GROUP BY 1, 2, 3;
END $procedure$;
--> statement-breakpoint
CALL fold_counters();
