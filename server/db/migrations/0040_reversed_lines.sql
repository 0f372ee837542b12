-- Payments that were credited, and taken back.
CREATE INDEX CONCURRENTLY IF NOT EXISTS statement_lines_reversed ON statement_lines (reversed_at) WHERE state = 'paid' AND reversed IS NOT NULL;
