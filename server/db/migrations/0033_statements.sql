-- Files of the payment app or of PayPal that somebody dropped. The same file is the same statement.
CREATE TABLE statements (
  id uuid PRIMARY KEY,
  file text NOT NULL,
  file_id uuid REFERENCES files,
  content_hash text NOT NULL,
  state text NOT NULL DEFAULT 'new',
  mapping jsonb,
  lines integer NOT NULL,
  read integer NOT NULL DEFAULT 0,
  known integer NOT NULL DEFAULT 0,
  refused integer NOT NULL DEFAULT 0,
  refusals jsonb NOT NULL DEFAULT '[]',
  skipped jsonb NOT NULL DEFAULT '{}',
  -- The statements whose lines it counted as known: those stay as long as it does.
  relies_on jsonb NOT NULL DEFAULT '[]',
  first_at timestamptz,
  last_at timestamptz,
  actor text NOT NULL,
  actor_kind text,
  actor_id uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT statements_state_known CHECK (state IN ('new', 'reading', 'ready')),
  -- Whatever is still to be read needs the file and, once begun, its columns.
  CONSTRAINT statements_file CHECK (state = 'ready' OR file_id IS NOT NULL),
  CONSTRAINT statements_mapping CHECK (state = 'new' OR mapping IS NOT NULL)
);
CREATE UNIQUE INDEX statements_content ON statements (content_hash);
CREATE INDEX statements_newest ON statements (created_at, id);
CREATE INDEX statements_file_id ON statements (file_id) WHERE file_id IS NOT NULL;

CREATE INDEX statements_relying ON statements USING gin (relies_on jsonb_path_ops);

CREATE TABLE statement_mappings (
  heading text PRIMARY KEY,
  mapping jsonb NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now()
);

CREATE TABLE statement_lines (
  id uuid PRIMARY KEY,
  statement_id uuid NOT NULL REFERENCES statements,
  line integer NOT NULL,
  source text NOT NULL,
  transaction text,
  content text NOT NULL,
  occurrence integer NOT NULL,
  at timestamptz NOT NULL,
  has_time boolean NOT NULL,
  amount_cents bigint NOT NULL,
  name text NOT NULL,
  email text NOT NULL,
  note text NOT NULL,
  payer text,
  -- The line that took it back, in words.
  reversed text,
  state text NOT NULL DEFAULT 'none',
  invoice_id uuid REFERENCES invoices,
  reason text NOT NULL DEFAULT '',
  transfer_id uuid REFERENCES transfers,
  done_by text,
  done_by_id uuid,
  done_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT statement_lines_source_known CHECK (source IN ('cashapp', 'paypal')),
  CONSTRAINT statement_lines_state_known CHECK (state IN ('certain', 'likely', 'unclear', 'none', 'paid', 'aside')),
  CONSTRAINT statement_lines_amount CHECK (amount_cents > 0),
  CONSTRAINT statement_lines_invoice CHECK ((state IN ('none', 'aside')) = (invoice_id IS NULL)),
  CONSTRAINT statement_lines_transfer CHECK ((state = 'paid') = (transfer_id IS NOT NULL)),
  CONSTRAINT statement_lines_done CHECK ((state IN ('paid', 'aside')) = (done_at IS NOT NULL))
);
-- A payment is here once, whatever files it comes in.
CREATE UNIQUE INDEX statement_lines_transaction ON statement_lines (transaction) WHERE transaction IS NOT NULL;
CREATE UNIQUE INDEX statement_lines_unnamed ON statement_lines (content, occurrence) WHERE transaction IS NULL;
CREATE INDEX statement_lines_content ON statement_lines (content, occurrence) WHERE transaction IS NOT NULL;
CREATE INDEX statement_lines_of_amount ON statement_lines (amount_cents, at);
CREATE UNIQUE INDEX statement_lines_deposit ON statement_lines (transfer_id) WHERE transfer_id IS NOT NULL;
CREATE UNIQUE INDEX statement_lines_in_file ON statement_lines (statement_id, line);
CREATE INDEX statement_lines_in_time ON statement_lines (statement_id, at, id);
CREATE INDEX statement_lines_of_state ON statement_lines (statement_id, state, at, id);
CREATE INDEX statement_lines_of_invoice ON statement_lines (invoice_id) WHERE invoice_id IS NOT NULL;
CREATE INDEX statement_lines_open ON statement_lines (source, at, id) WHERE state IN ('certain', 'likely', 'unclear', 'none');
CREATE INDEX statement_lines_payer ON statement_lines (payer) WHERE state = 'paid' AND payer IS NOT NULL;
-- Whose names are still to be forgotten.
CREATE INDEX statement_lines_named ON statement_lines (created_at) WHERE name <> '' OR email <> '' OR note <> '';

INSERT INTO counted (subject, "table", kind, at, cents) VALUES
  ('statement lines', 'statement_lines', 'statement_id || '' '' || state', 'created_at', 'amount_cents');
-- Only what counts this table is made: whoever writes to other tables is not waited for.
DO $$
DECLARE
  others counted[] := ARRAY(SELECT counted FROM counted WHERE "table" <> 'statement_lines');
BEGIN
  DELETE FROM counted WHERE "table" <> 'statement_lines';
  CALL keep_counters();
  INSERT INTO counted SELECT * FROM unnest(others);
END $$;
