-- Codes from before batches were kept: a search by a beginning finds all others by their batches.
CREATE INDEX CONCURRENTLY IF NOT EXISTS tracking_codes_of_no_batch ON tracking_codes (created_at, id) WHERE batch_id IS NULL;
