-- A customer's name is looked up where it stands, not in copies: a rename changes one row.
DROP TRIGGER rename_in_search ON customers;--> statement-breakpoint
DROP TRIGGER fill_search ON orders;--> statement-breakpoint
DROP TRIGGER fill_search ON bulk_orders;--> statement-breakpoint
DROP TRIGGER fill_search ON invoices;--> statement-breakpoint
DROP TRIGGER fill_search ON fedex_orders;--> statement-breakpoint
DROP FUNCTION rename_in_search(), fill_search(), fill_admin_search();--> statement-breakpoint
DROP FUNCTION search_text(orders, customers), search_text(bulk_orders, customers), search_text(invoices, customers),
  search_text(fedex_orders, customers), searchable(text[]);
--> statement-breakpoint
-- What a search finds a row by, as decision 9 has it. Of names, every part that reaches to the end of a word: what is
-- typed is the beginning of one of these, wherever in a name it stands. Of codes, kept apart by chr(31),
-- the beginning and, backwards, the end, without the hyphens and spaces that people leave out or put in.
CREATE FUNCTION search_keys(names text, codes text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  -- Longer ones are compared in the row itself.
  longest CONSTANT int := 12;
  separators CONSTANT text := E'\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f !"#$%&''()*+,-./:;<=>?@[\\]^_`{|}~\x7f';
  keys text[] := '{}';
  word text;
BEGIN
  FOREACH word IN ARRAY string_to_array(translate(lower(names), separators || 'ς', repeat(' ', length(separators)) || 'σ'), ' ') LOOP
    FOR place IN 1 .. length(word) - 1 LOOP
      keys := keys || substr(word, place, longest);
    END LOOP;
  END LOOP;
  FOREACH word IN ARRAY string_to_array(translate(lower(codes), ' -', ''), chr(31)) LOOP
    CONTINUE WHEN word = '';
    keys := keys || ('=' || left(word, longest)) || ('~' || left(reverse(word), longest));
  END LOOP;
  RETURN array_to_tsvector(keys);
END $$;
--> statement-breakpoint
-- A sentence of the log: ids and long numbers in it are codes, the rest are words.
CREATE FUNCTION log_search_keys(admin text, action text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  code CONSTANT text := '^\W*([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{10,})(?:\W|$)';
  names text := admin;
  codes text := '';
  part text;
  matched text;
BEGIN
  FOREACH part IN ARRAY string_to_array(action, ' ') LOOP
    matched := CASE WHEN length(part) > 9 THEN substring(part FROM code) END;
    IF matched IS NOT NULL THEN
      codes := codes || chr(31) || matched;
      part := replace(part, matched, ' ');
    END IF;
    names := names || ' ' || part;
  END LOOP;
  RETURN public.search_keys(names, codes);
END $$;
--> statement-breakpoint
ALTER TABLE "customers" DROP COLUMN "search", ADD COLUMN "search" tsvector
  GENERATED ALWAYS AS (search_keys(username || chr(31) || email, id::text || chr(31) || discord_id)) STORED;
--> statement-breakpoint
ALTER TABLE "bulk_orders" DROP COLUMN "search", ADD COLUMN "search" tsvector
  GENERATED ALWAYS AS (search_keys('', id::text || chr(31) || uuid::text)) STORED;
--> statement-breakpoint
ALTER TABLE "orders" DROP COLUMN "search", ADD COLUMN "search" tsvector
  GENERATED ALWAYS AS (search_keys(from_name || chr(31) || to_name, id::text || chr(31) || uuid::text || chr(31) || tracking)) STORED;
--> statement-breakpoint
ALTER TABLE "fedex_orders" DROP COLUMN "search", DROP COLUMN "admin_search", ADD COLUMN "search" tsvector
  GENERATED ALWAYS AS (search_keys(from_name || chr(31) || to_name, id::text || chr(31) || uuid::text)) STORED;
--> statement-breakpoint
ALTER TABLE "invoices" DROP COLUMN "search", ADD COLUMN "search" tsvector
  GENERATED ALWAYS AS (search_keys('', id::text)) STORED;
--> statement-breakpoint
DROP INDEX "tracking_codes_search";--> statement-breakpoint
ALTER TABLE "tracking_codes" ADD COLUMN "search" tsvector GENERATED ALWAYS AS (search_keys('', code)) STORED;
--> statement-breakpoint
ALTER TABLE "logs" DROP COLUMN "search", ADD COLUMN "search" tsvector
  GENERATED ALWAYS AS (log_search_keys(admin, action)) STORED;
--> statement-breakpoint
DROP FUNCTION uuids_in(text);--> statement-breakpoint
-- A code is the same however it is written.
DROP INDEX "orders_tracking";--> statement-breakpoint
CREATE INDEX "orders_tracking" ON "orders" USING btree (translate(lower("tracking"), ' ._-', ''));--> statement-breakpoint
CREATE INDEX "customers_search" ON "customers" USING gin ("search") WITH (gin_pending_list_limit = 512);--> statement-breakpoint
CREATE INDEX "bulk_orders_search" ON "bulk_orders" USING gin ("search") WITH (gin_pending_list_limit = 512);--> statement-breakpoint
CREATE INDEX "orders_search" ON "orders" USING gin ("search") WITH (gin_pending_list_limit = 512);--> statement-breakpoint
CREATE INDEX "fedex_orders_search" ON "fedex_orders" USING gin ("search") WITH (gin_pending_list_limit = 512);--> statement-breakpoint
CREATE INDEX "invoices_search" ON "invoices" USING gin ("search") WITH (gin_pending_list_limit = 512);--> statement-breakpoint
CREATE INDEX "tracking_codes_search" ON "tracking_codes" USING gin ("search") WITH (gin_pending_list_limit = 512);--> statement-breakpoint
CREATE INDEX "logs_search" ON "logs" USING gin ("search") WITH (gin_pending_list_limit = 512);
