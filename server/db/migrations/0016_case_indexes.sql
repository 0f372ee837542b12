-- A customer's balance history: any page of it, from any day, of one kind. Purchases are most of it: what looks for the
-- other kinds does without them.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS transfers_numbered ON transfers (customer_id, number);
CREATE INDEX CONCURRENTLY IF NOT EXISTS transfers_dated ON transfers (customer_id, created_at);
CREATE INDEX CONCURRENTLY IF NOT EXISTS transfers_of_kind ON transfers (customer_id, kind, number) WHERE kind <> 'purchase';
-- The same of all customers together, and what one account moved.
CREATE INDEX CONCURRENTLY IF NOT EXISTS transfers_newest ON transfers (created_at, id) WHERE kind <> 'purchase';
CREATE INDEX CONCURRENTLY IF NOT EXISTS transfers_newest_of_kind ON transfers (kind, created_at, id) WHERE kind <> 'purchase';
CREATE INDEX CONCURRENTLY IF NOT EXISTS transfers_by_account ON transfers (actor_id, created_at, id) WHERE actor_kind = 'account';
-- One deposit per invoice, one purchase and one refund per order, one reversal per transfer.
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS transfers_standing ON transfers (reference, kind) WHERE reversed_by IS NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS transfers_reversed ON transfers (reference) WHERE reversed_by IS NOT NULL;
CREATE UNIQUE INDEX CONCURRENTLY IF NOT EXISTS transfers_reversed_once ON transfers (reverses) WHERE reverses IS NOT NULL;
DROP INDEX CONCURRENTLY IF EXISTS transfers_once;
DROP INDEX CONCURRENTLY IF EXISTS transfers_of_customer;

-- What lists are narrowed by.
CREATE INDEX CONCURRENTLY IF NOT EXISTS orders_of_label_type ON orders (label_type_id, created_at, id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS invoices_of_method ON invoices (payment_method, created_at, id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS customers_verified ON customers (created_at, id) WHERE verified_at IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS customers_with_custom_pricing ON customers (created_at, id) WHERE custom_pricing_enabled;
CREATE INDEX CONCURRENTLY IF NOT EXISTS tracking_codes_left ON tracking_codes (type, created_at, id) WHERE used_at IS NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS tracking_codes_used ON tracking_codes (type, created_at, id) WHERE used_at IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS logs_of_subject ON logs (subject_id, created_at, id) WHERE subject_id IS NOT NULL;
CREATE INDEX CONCURRENTLY IF NOT EXISTS logs_of_customer ON logs (customer_id, created_at, id) WHERE customer_id IS NOT NULL;
