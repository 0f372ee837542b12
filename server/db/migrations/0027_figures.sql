-- Refunds by the day on which they were made; and orders by shop, by whether the customer had joined within the 30 days
-- before, and by whether they were refunded: one kind for the three, since every order pays for every counter.
LOCK TABLE orders IN SHARE ROW EXCLUSIVE MODE;
INSERT INTO counted (subject, "table", kind, at, cents) VALUES
  ('refunds', 'orders', '''refunded''', 'refunded_at', 'price_cents'),
  ('orders by shop', 'orders', $$concat_ws(' ', coalesce(shop_id::text, 'unknown'),
    CASE WHEN created_at < (SELECT customers.created_at FROM customers WHERE customers.id = customer_id) + interval '30 days'
      THEN 'new' ELSE 'returning' END,
    CASE WHEN refunded_at IS NULL THEN 'Active' ELSE 'Refunded' END)$$, 'created_at', 'price_cents');
-- Only what counts orders is made anew: whoever writes to other tables is not waited for.
DO $$
DECLARE
  others counted[] := ARRAY(SELECT counted FROM counted WHERE "table" <> 'orders');
BEGIN
  DELETE FROM counted WHERE "table" <> 'orders';
  CALL keep_counters();
  INSERT INTO counted SELECT * FROM unnest(others);
END $$;
INSERT INTO counters (subject, kind, day, slot, count, cents)
  SELECT 'refunds', 'refunded', (refunded_at AT TIME ZONE timezone)::date, -1, count(*), sum(price_cents)
  FROM orders, settings WHERE refunded_at IS NOT NULL GROUP BY 3
  UNION ALL
  SELECT 'orders by shop', concat_ws(' ', coalesce(orders.shop_id::text, 'unknown'),
      CASE WHEN orders.created_at < customers.created_at + interval '30 days' THEN 'new' ELSE 'returning' END,
      CASE WHEN refunded_at IS NULL THEN 'Active' ELSE 'Refunded' END),
    (orders.created_at AT TIME ZONE timezone)::date, -1, count(*), sum(price_cents)
  FROM settings, orders JOIN customers ON customers.id = customer_id GROUP BY 2, 3;
INSERT INTO settled_months (subject, kind, month, count, cents)
  SELECT subject, kind, date_trunc('month', day::timestamp)::date, sum(count), sum(cents) FROM counters
  WHERE subject IN ('refunds', 'orders by shop') GROUP BY 1, 2, 3;

-- What each customer's orders of a month come to, without those that were refunded: who bought most in a month is read
-- from an index. No reference to customers, as every order would pay for it.
CREATE TABLE customer_months (
  customer_id uuid NOT NULL,
  month date NOT NULL,
  orders bigint NOT NULL,
  cents bigint NOT NULL,
  CONSTRAINT customer_months_customer_id_month_pk PRIMARY KEY (customer_id, month)
);
CREATE INDEX customer_months_most ON customer_months (month, cents, customer_id);

-- The same, taken from the orders themselves.
CREATE FUNCTION actual_customer_months() RETURNS TABLE (customer_id uuid, month date, orders bigint, cents bigint)
LANGUAGE sql STABLE AS $$
  SELECT orders.customer_id, date_trunc('month', orders.created_at AT TIME ZONE timezone)::date, count(*),
    sum(price_cents)::bigint
  FROM orders, settings WHERE refunded_at IS NULL GROUP BY 1, 2
$$;

DO $procedure$
DECLARE
  operation text;
BEGIN
  FOREACH operation IN ARRAY ARRAY['insert', 'update', 'delete'] LOOP
    EXECUTE format($function$
      CREATE FUNCTION %I() RETURNS trigger LANGUAGE plpgsql AS $body$
      BEGIN
        INSERT INTO customer_months (customer_id, month, orders, cents)
        SELECT customer_id, date_trunc('month', business_day(created_at)::timestamp)::date, sum(change),
          sum(change * price_cents)
        FROM (%s) AS changed WHERE refunded_at IS NULL GROUP BY 1, 2
        HAVING sum(change) <> 0 OR sum(change * price_cents) <> 0
        ORDER BY 1, 2
        ON CONFLICT (customer_id, month)
        DO UPDATE SET orders = customer_months.orders + excluded.orders, cents = customer_months.cents + excluded.cents;
        RETURN NULL;
      END $body$ $function$,
      format('keep_customer_months_%s', operation),
      CASE operation
        WHEN 'insert' THEN 'SELECT *, 1 AS change FROM added'
        WHEN 'delete' THEN 'SELECT *, -1 AS change FROM removed'
        ELSE 'SELECT *, 1 AS change FROM added UNION ALL SELECT *, -1 FROM removed'
      END);
    EXECUTE format('CREATE TRIGGER %1$I AFTER %2$s ON orders %3$s FOR EACH STATEMENT EXECUTE FUNCTION %1$I()',
      format('keep_customer_months_%s', operation), operation,
      CASE operation
        WHEN 'insert' THEN 'REFERENCING NEW TABLE AS added'
        WHEN 'delete' THEN 'REFERENCING OLD TABLE AS removed'
        ELSE 'REFERENCING OLD TABLE AS removed NEW TABLE AS added'
      END);
  END LOOP;
END $procedure$;

INSERT INTO customer_months SELECT * FROM actual_customer_months();

-- Months are those of the business's timezone, too.
CREATE OR REPLACE PROCEDURE recount() LANGUAGE plpgsql AS $procedure$
BEGIN
  LOCK TABLE counters, settled_months, customer_months IN EXCLUSIVE MODE;
  DELETE FROM counters;
  DELETE FROM settled_months;
  DELETE FROM customer_months;
  INSERT INTO counters (subject, kind, day, slot, count, cents)
    SELECT subject, kind, day, -1, count, cents FROM actual_counters();
  INSERT INTO settled_months (subject, kind, month, count, cents)
    SELECT subject, kind, date_trunc('month', day::timestamp)::date, sum(count), sum(cents) FROM counters GROUP BY 1, 2, 3;
  INSERT INTO customer_months SELECT * FROM actual_customer_months();
END $procedure$;
