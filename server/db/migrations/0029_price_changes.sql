-- Prices that are to change at a moment. Applied, taken back or failed, they stay as what became of them. Without a
-- reference to the account: whoever has scheduled one may be gone when its moment comes.
CREATE TABLE scheduled_prices (
  id uuid PRIMARY KEY,
  label_type_id uuid NOT NULL,
  at timestamptz NOT NULL,
  whole_table boolean NOT NULL,
  unit text NOT NULL,
  was jsonb NOT NULL,
  prices jsonb NOT NULL,
  reason text NOT NULL DEFAULT '',
  actor text NOT NULL,
  actor_id uuid NOT NULL,
  status text NOT NULL DEFAULT 'waiting',
  attempts integer NOT NULL DEFAULT 0,
  problem text,
  ended_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT scheduled_prices_unit_known CHECK (unit IN ('lb', 'oz')),
  CONSTRAINT scheduled_prices_status_known CHECK (status IN ('waiting', 'done', 'failed', 'withdrawn')),
  CONSTRAINT scheduled_prices_ended CHECK ((ended_at IS NULL) = (status = 'waiting')),
  CONSTRAINT scheduled_prices_problem CHECK (problem IS NOT NULL OR status <> 'failed'),
  CONSTRAINT scheduled_prices_label_type_id_label_types_id_fk FOREIGN KEY (label_type_id) REFERENCES label_types ON DELETE CASCADE
);
CREATE INDEX scheduled_prices_due ON scheduled_prices (at, id) WHERE status = 'waiting';
CREATE INDEX scheduled_prices_of_label_type ON scheduled_prices (label_type_id, at, id) WHERE status IN ('waiting', 'failed');

-- A price that changed a lot is unusual too.
ALTER TABLE unusual_events
  DROP CONSTRAINT unusual_events_rule_known,
  ADD CONSTRAINT unusual_events_rule_known CHECK (rule IN ('spend', 'refunds', 'credits', 'address', 'deposits', 'night', 'prices'));
