-- A request may be to pay an invoice with a line of a statement. That may be removed while it waits.
ALTER TABLE approvals ADD COLUMN line_id uuid;
CREATE UNIQUE INDEX approvals_line_waiting ON approvals (line_id) WHERE status = 'waiting' AND line_id IS NOT NULL;
