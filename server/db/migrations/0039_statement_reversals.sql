-- What statements tell of payments that were taken back. The statement that tells of the payment may come later.
CREATE TABLE statement_reversals (
  id uuid PRIMARY KEY,
  statement_id uuid NOT NULL REFERENCES statements ON DELETE CASCADE,
  line integer NOT NULL,
  -- What is known of the payment: its transaction id, or what it says.
  payment text NOT NULL
);
CREATE INDEX statement_reversals_payment ON statement_reversals (payment, id);
CREATE INDEX statement_reversals_statement ON statement_reversals (statement_id);

-- When a statement told of it.
ALTER TABLE statement_lines ADD COLUMN reversed_at timestamptz;

-- What was told when a change of prices was scheduled.
ALTER TABLE scheduled_prices ADD COLUMN warnings text[] NOT NULL DEFAULT '{}';
