-- Exclusion constraints over an id and a range.
CREATE EXTENSION IF NOT EXISTS btree_gist;
--> statement-breakpoint
-- Searches for any part of a text.
CREATE EXTENSION IF NOT EXISTS pg_trgm;
