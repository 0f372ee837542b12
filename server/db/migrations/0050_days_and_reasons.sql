-- What a subject came to within some days: the primary key has all of a kind's days before the next kind.
CREATE INDEX CONCURRENTLY IF NOT EXISTS counters_of_days ON counters (subject, day);

-- Why refunds were made: five hundred are read for it, from the index alone.
CREATE INDEX CONCURRENTLY IF NOT EXISTS transfers_refunds ON transfers (created_at, id) INCLUDE (reason, amount_cents) WHERE kind = 'refund';
