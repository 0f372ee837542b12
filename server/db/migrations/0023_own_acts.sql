-- What an account did to itself, to other accounts and to the settings, newest first.
CREATE INDEX CONCURRENTLY IF NOT EXISTS logs_sensitive_of_actor ON logs (actor_id, created_at, id) WHERE type IN ('session', 'staff', 'website');
