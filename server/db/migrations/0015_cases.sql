-- The place of a transfer among its customer's, and what the customer had received and spent in all with it: what any
-- stretch of a balance's history comes to is the difference of two rows. The customer's row holds the newest totals.
ALTER TABLE customers
  ADD COLUMN transfers integer NOT NULL DEFAULT 0,
  ADD COLUMN orders integer NOT NULL DEFAULT 0,
  ADD COLUMN deposits integer NOT NULL DEFAULT 0,
  ADD COLUMN refunds integer NOT NULL DEFAULT 0,
  ADD COLUMN received_cents bigint NOT NULL DEFAULT 0,
  ADD COLUMN spent_cents bigint NOT NULL DEFAULT 0,
  ADD COLUMN deposited_cents bigint NOT NULL DEFAULT 0,
  ADD COLUMN refunded_cents bigint NOT NULL DEFAULT 0;
ALTER TABLE transfers
  ADD COLUMN number integer,
  ADD COLUMN received_cents bigint,
  ADD COLUMN spent_cents bigint,
  ADD COLUMN reason text NOT NULL DEFAULT '',
  ADD COLUMN reverses uuid CONSTRAINT transfers_reverses_transfers_id_fk REFERENCES transfers,
  ADD COLUMN reversed_by uuid CONSTRAINT transfers_reversed_by_transfers_id_fk REFERENCES transfers,
  DROP CONSTRAINT transfers_kind_known,
  DROP CONSTRAINT transfers_reference;
UPDATE transfers SET number = counted.number, received_cents = counted.received, spent_cents = counted.spent
FROM (
  SELECT id, row_number() OVER history AS number, sum(greatest(amount_cents, 0)) OVER history AS received,
    coalesce(sum(-amount_cents) FILTER (WHERE kind = 'purchase') OVER history, 0) AS spent
  FROM transfers WINDOW history AS (PARTITION BY customer_id ORDER BY created_at, id)
) AS counted
WHERE counted.id = transfers.id;
ALTER TABLE transfers
  ALTER COLUMN number SET NOT NULL,
  ALTER COLUMN received_cents SET NOT NULL,
  ALTER COLUMN spent_cents SET NOT NULL,
  ADD CONSTRAINT transfers_kind_known CHECK (kind IN ('deposit', 'purchase', 'refund', 'adjustment', 'reversal')),
  ADD CONSTRAINT transfers_reference CHECK ((kind IN ('adjustment', 'reversal')) = (reference IS NULL)),
  ADD CONSTRAINT transfers_reversal CHECK ((kind = 'reversal') = (reverses IS NOT NULL));
UPDATE customers SET transfers = totals.transfers, deposits = totals.deposits, refunds = totals.refunds,
  received_cents = totals.received, spent_cents = totals.spent, deposited_cents = totals.deposited,
  refunded_cents = totals.refunded
FROM (
  SELECT customer_id, count(*) AS transfers, count(*) FILTER (WHERE kind = 'deposit') AS deposits,
    count(*) FILTER (WHERE kind = 'refund') AS refunds, sum(greatest(amount_cents, 0)) AS received,
    coalesce(sum(-amount_cents) FILTER (WHERE kind = 'purchase'), 0) AS spent,
    coalesce(sum(amount_cents) FILTER (WHERE kind = 'deposit'), 0) AS deposited,
    coalesce(sum(amount_cents) FILTER (WHERE kind = 'refund'), 0) AS refunded
  FROM transfers GROUP BY customer_id
) AS totals
WHERE totals.customer_id = customers.id;
UPDATE customers SET orders = bought.orders
FROM (SELECT customer_id, count(*) AS orders FROM orders GROUP BY customer_id) AS bought
WHERE bought.customer_id = customers.id;

-- An invoice whose deposit was taken back can be paid again.
ALTER TABLE invoices
  DROP CONSTRAINT invoices_status_known,
  ADD CONSTRAINT invoices_status_known CHECK (status IN ('pending', 'paid', 'expired', 'failed', 'reversed'));

-- Why an order cost what it did; not known of those from before.
ALTER TABLE orders
  ADD COLUMN tier_from_weight numeric(12, 3),
  ADD COLUMN tier_to_weight numeric(12, 3),
  ADD COLUMN has_custom_price boolean,
  ADD COLUMN standard_price_cents bigint;

CREATE TABLE order_notes (
  id uuid PRIMARY KEY,
  order_id uuid NOT NULL CONSTRAINT order_notes_order_id_orders_id_fk REFERENCES orders,
  text text NOT NULL,
  author text NOT NULL,
  author_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX order_notes_of_order ON order_notes (order_id, created_at, id);

-- What was registered together; the log says by whom. Not known of codes from before.
ALTER TABLE tracking_codes ADD COLUMN batch_id uuid;

-- What an entry of the log is about, and the customer whom it concerns.
ALTER TABLE logs
  ADD COLUMN subject_kind text,
  ADD COLUMN subject_id uuid,
  ADD COLUMN customer_id uuid;

-- What one staff account may move at once and in a business day, and what the books said last.
ALTER TABLE settings
  ADD COLUMN staff_credit_cents bigint,
  ADD COLUMN staff_credit_per_day_cents bigint,
  ADD COLUMN staff_refund_cents bigint,
  ADD COLUMN staff_refund_per_day_cents bigint,
  ADD COLUMN books_checked_at timestamptz,
  ADD COLUMN books_problems text[],
  ADD COLUMN owed_cents bigint,
  ADD COLUMN books_begun_at timestamptz;
