-- Pages of the index tell what a far page skips only once they are known to be visible to all: each entry that is not is
-- looked up in the table, several times as dear. PostgreSQL sees to that when a fifth of the rows is new, which in a
-- large business are those of months; now when a fiftieth is.
ALTER TABLE orders SET (autovacuum_vacuum_insert_scale_factor = 0.02);
ALTER TABLE logs SET (autovacuum_vacuum_insert_scale_factor = 0.02);
