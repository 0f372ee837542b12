-- What administrators hear of and shops do not.
ALTER TABLE events
  DROP CONSTRAINT events_type_known,
  ADD CONSTRAINT events_type_known CHECK (type IN ('order.created', 'order.refunded', 'bulk-order.created', 'invoice.created', 'invoice.paid', 'invoice.reversed', 'customer.created', 'customer.verified', 'customer.changed', 'balance.changed', 'fedex-order.created', 'fedex-order.changed', 'price.changed', 'codes.low', 'books.unbalanced', 'settings.changed', 'approval.asked', 'unusual.noticed', 'webhook.paused'));

ALTER TABLE outbox
  DROP CONSTRAINT IF EXISTS outbox_type_known,
  ADD CONSTRAINT outbox_type_known CHECK (type IN ('order.created', 'order.refunded', 'bulk-order.created', 'invoice.created', 'invoice.paid', 'invoice.reversed', 'customer.created', 'customer.verified', 'customer.changed', 'balance.changed', 'fedex-order.created', 'fedex-order.changed', 'price.changed', 'codes.low', 'books.unbalanced', 'settings.changed', 'approval.asked', 'unusual.noticed', 'webhook.paused'));

-- What accounts are given notice of, kind by kind, however much else happens.
CREATE INDEX events_notices ON events (type, position) WHERE type IN ('customer.created', 'fedex-order.created', 'invoice.created', 'codes.low', 'books.unbalanced', 'settings.changed', 'approval.asked', 'unusual.noticed', 'webhook.paused');

CREATE FUNCTION newest_event() RETURNS bigint LANGUAGE sql STABLE AS $$
  SELECT coalesce(max(position), 0) FROM events
$$;

ALTER TABLE accounts
  ADD COLUMN message_kinds text[],
  ADD COLUMN quiet_from text,
  ADD COLUMN quiet_to text,
  ADD COLUMN notices_seen bigint NOT NULL DEFAULT newest_event(),
  ADD CONSTRAINT accounts_quiet CHECK (num_nulls(quiet_from, quiet_to) IN (0, 2) AND quiet_from <> quiet_to);

CREATE TABLE chats (
  account_id uuid PRIMARY KEY REFERENCES accounts ON DELETE CASCADE,
  position bigint NOT NULL DEFAULT newest_event(),
  messaged_at timestamptz
);

CREATE TABLE chat_messages (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL REFERENCES accounts ON DELETE CASCADE,
  state text NOT NULL DEFAULT 'waiting',
  is_test boolean NOT NULL DEFAULT false,
  text text NOT NULL,
  position bigint,
  tries integer NOT NULL DEFAULT 0,
  outcomes jsonb NOT NULL DEFAULT '[]',
  leased_until timestamptz,
  next_try_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT chat_messages_state_known CHECK (state IN ('waiting', 'sent', 'failed'))
);
-- One at a time: whatever else happens is told in the next.
CREATE UNIQUE INDEX chat_messages_waiting ON chat_messages (account_id) WHERE state = 'waiting';
CREATE INDEX chat_messages_of_account ON chat_messages (account_id, created_at, id);
CREATE INDEX chat_messages_oldest ON chat_messages (created_at);
