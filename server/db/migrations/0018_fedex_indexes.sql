-- What similar parcels cost, newest first; whose claims end; on which orders a file is.
CREATE INDEX CONCURRENTLY IF NOT EXISTS fedex_orders_priced ON fedex_orders (weight_class(weight, weight_unit), created_at, id) WHERE price_cents IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS fedex_orders_claimed ON fedex_orders (claimed_until) WHERE claimed_until IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS files_content ON files (content_hash) WHERE content_hash IS NOT NULL;
