-- Who a payer may be: by name without marks, and by e-mail.
CREATE INDEX CONCURRENTLY IF NOT EXISTS customers_called ON customers (translate(lower(username), ' ._-', ''), id);
CREATE INDEX CONCURRENTLY IF NOT EXISTS customers_of_email ON customers (lower(email), id);
