-- Where events are sent to. One that is deleted stays, without its secrets, until housekeeping has deleted its deliveries.
CREATE TABLE webhooks (
  id uuid PRIMARY KEY,
  url text NOT NULL,
  note text NOT NULL DEFAULT '',
  events text[] NOT NULL DEFAULT '{}',
  secret text NOT NULL,
  old_secret text,
  old_secret_until timestamptz,
  position bigint NOT NULL,
  holder uuid,
  held_until timestamptz,
  failures integer NOT NULL DEFAULT 0,
  failing_since timestamptz,
  failed_at timestamptz,
  retry_at timestamptz,
  last_delivered_at timestamptz,
  paused_at timestamptz,
  paused_because text NOT NULL DEFAULT '',
  paused_by_itself boolean NOT NULL DEFAULT false,
  deleted_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT webhooks_old_secret CHECK ((old_secret IS NULL) = (old_secret_until IS NULL)),
  CONSTRAINT webhooks_held CHECK ((holder IS NULL) = (held_until IS NULL))
);

-- One event on its way to one webhook. What concerns one customer is one lane, and so is all that concerns none: it is
-- sent in the order of the numbers, and only what is first in its lane is tried. Without references: deliveries are many,
-- and are deleted some at a time.
CREATE TABLE webhook_deliveries (
  id uuid PRIMARY KEY,
  number bigint GENERATED ALWAYS AS IDENTITY,
  webhook_id uuid NOT NULL,
  lane uuid NOT NULL,
  is_first boolean NOT NULL DEFAULT false,
  event_id uuid NOT NULL,
  type text NOT NULL,
  event_at timestamptz NOT NULL,
  state text NOT NULL,
  tries integer NOT NULL DEFAULT 0,
  failures integer NOT NULL DEFAULT 0,
  first_tried_at timestamptz,
  tried_at timestamptz,
  next_try_at timestamptz NOT NULL DEFAULT 'epoch',
  status integer,
  problem text NOT NULL DEFAULT '',
  duration integer,
  resent_by text,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT webhook_deliveries_type_known CHECK (type IN ('order.created', 'order.refunded', 'bulk-order.created', 'invoice.created', 'invoice.paid', 'invoice.reversed', 'customer.created', 'customer.verified', 'customer.changed', 'balance.changed', 'fedex-order.created', 'fedex-order.changed', 'price.changed', 'codes.low', 'books.unbalanced', 'settings.changed', 'test')),
  CONSTRAINT webhook_deliveries_state_known CHECK (state IN ('waiting', 'delivered', 'failed')),
  CONSTRAINT webhook_deliveries_first CHECK (state = 'waiting' OR NOT is_first)
);
CREATE UNIQUE INDEX webhook_deliveries_first_of_lane ON webhook_deliveries (webhook_id, lane) WHERE is_first;
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook_id, next_try_at, number) WHERE is_first;
CREATE INDEX webhook_deliveries_waiting ON webhook_deliveries (webhook_id, lane, number) WHERE state = 'waiting';
CREATE INDEX webhook_deliveries_newest ON webhook_deliveries (webhook_id, created_at, id);
CREATE INDEX webhook_deliveries_of_state ON webhook_deliveries (webhook_id, state, created_at, id);
CREATE INDEX webhook_deliveries_of_lane ON webhook_deliveries (webhook_id, lane, created_at, id);
CREATE INDEX webhook_deliveries_of_event ON webhook_deliveries (event_id);
CREATE INDEX webhook_deliveries_oldest ON webhook_deliveries (event_at);

-- What each try of a delivery came to: the request as it was sent, and the beginning of what was answered.
CREATE TABLE webhook_tries (
  delivery_id uuid NOT NULL,
  number integer NOT NULL,
  url text NOT NULL,
  headers jsonb NOT NULL,
  status integer,
  problem text NOT NULL,
  duration integer NOT NULL,
  answer text NOT NULL,
  at timestamptz NOT NULL,
  PRIMARY KEY (delivery_id, number)
);
