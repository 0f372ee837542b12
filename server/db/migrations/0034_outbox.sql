-- What has just happened, in the transaction in which it did. A row stays for moments: it is numbered, and moves to events.
-- Nothing is referred to: whoever writes here waits for nobody.
CREATE TABLE outbox (
  number bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL,
  type text NOT NULL,
  customer_id uuid,
  shop_id uuid,
  data jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT outbox_type_known CHECK (type IN ('order.created', 'order.refunded', 'bulk-order.created', 'invoice.created', 'invoice.paid', 'invoice.reversed', 'customer.created', 'customer.verified', 'customer.changed', 'balance.changed', 'fedex-order.created', 'fedex-order.changed', 'price.changed', 'codes.low', 'books.unbalanced', 'settings.changed'))
);

-- What happened, numbered in the order in which it can be read: who has read up to a position has missed nothing before
-- it. What concerns one customer stands in the order in which it happened. Kept for 30 days.
CREATE TABLE events (
  position bigint GENERATED ALWAYS AS IDENTITY PRIMARY KEY,
  id uuid NOT NULL,
  type text NOT NULL,
  customer_id uuid,
  shop_id uuid,
  data jsonb NOT NULL,
  created_at timestamptz NOT NULL,
  CONSTRAINT events_type_known CHECK (type IN ('order.created', 'order.refunded', 'bulk-order.created', 'invoice.created', 'invoice.paid', 'invoice.reversed', 'customer.created', 'customer.verified', 'customer.changed', 'balance.changed', 'fedex-order.created', 'fedex-order.changed', 'price.changed', 'codes.low', 'books.unbalanced', 'settings.changed'))
);
CREATE UNIQUE INDEX events_id ON events (id);
CREATE INDEX events_of_shop ON events (shop_id, position);
CREATE INDEX events_of_everybody ON events (position) WHERE shop_id IS NULL AND customer_id IS NULL;
CREATE INDEX events_oldest ON events (created_at);

-- Of which types it was told that their codes are low, until there are enough again.
ALTER TABLE settings ADD COLUMN low_codes text[] NOT NULL DEFAULT '{}';
