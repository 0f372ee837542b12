-- Newcomers who wait, and those who were declined.
CREATE INDEX CONCURRENTLY IF NOT EXISTS customers_unverified_of_status ON customers (active, created_at, id) WHERE verified_at IS NULL;
