-- How searches and lists find their rows. Built beside the work of other servers: see CONTRIBUTING.
CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_tracking ON orders (regexp_replace(regexp_replace(tracking, '[^0-9]', '', 'g'), '^420[0-9]{5}([0-9]{4})?(?=9[0-9]{21}$)', ''));
CREATE INDEX CONCURRENTLY IF NOT EXISTS customers_search ON customers USING gin (search) WITH (gin_pending_list_limit = 512);
CREATE INDEX CONCURRENTLY IF NOT EXISTS bulk_orders_search ON bulk_orders USING gin (search) WITH (gin_pending_list_limit = 512);
CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_search ON orders USING gin (search) WITH (gin_pending_list_limit = 512);
CREATE INDEX CONCURRENTLY IF NOT EXISTS fedex_orders_search ON fedex_orders USING gin (search) WITH (gin_pending_list_limit = 512);
CREATE INDEX CONCURRENTLY IF NOT EXISTS invoices_search ON invoices USING gin (search) WITH (gin_pending_list_limit = 512);
CREATE INDEX CONCURRENTLY IF NOT EXISTS tracking_codes_search ON tracking_codes USING gin (search) WITH (gin_pending_list_limit = 512);
CREATE INDEX CONCURRENTLY IF NOT EXISTS logs_search ON logs USING gin (search) WITH (gin_pending_list_limit = 512);
CREATE INDEX CONCURRENTLY IF NOT EXISTS logs_newest_of_actor ON logs (actor_id, created_at, id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS transfers_deposits_by_shop ON transfers (actor_id, created_at)
  WHERE kind = 'deposit' AND actor_kind = 'shop';

-- Nobody looks a row up by these, and random numbers need no index to differ.
DROP INDEX CONCURRENTLY IF EXISTS orders_uuid_key;
DROP INDEX CONCURRENTLY IF EXISTS bulk_orders_uuid_key;
DROP INDEX CONCURRENTLY IF EXISTS fedex_orders_uuid_key;
