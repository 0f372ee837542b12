-- The codes of a batch.
CREATE INDEX CONCURRENTLY IF NOT EXISTS tracking_codes_of_batch ON tracking_codes (batch_id, created_at, id) WHERE batch_id IS NOT NULL;
