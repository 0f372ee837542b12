-- Transaction ids are the same in whatever letters a file writes them.
CREATE INDEX CONCURRENTLY IF NOT EXISTS statement_lines_called ON statement_lines (lower(transaction)) WHERE transaction IS NOT NULL;
