-- A search by customer becomes part of each row's own text: one index answers, whatever was typed.
DROP INDEX "customers_username_search";--> statement-breakpoint
DROP INDEX "customers_discord_id_search";--> statement-breakpoint
DROP INDEX "bulk_orders_search";--> statement-breakpoint
DROP INDEX "invoices_search";--> statement-breakpoint
DROP INDEX "orders_search";--> statement-breakpoint
ALTER TABLE "bulk_orders" ALTER COLUMN "search" DROP EXPRESSION;--> statement-breakpoint
ALTER TABLE "invoices" ALTER COLUMN "search" DROP EXPRESSION;--> statement-breakpoint
ALTER TABLE "orders" ALTER COLUMN "search" DROP EXPRESSION;--> statement-breakpoint
ALTER TABLE "fedex_orders" ADD COLUMN "admin_search" text;--> statement-breakpoint
CREATE FUNCTION searchable(VARIADIC parts text[]) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN lower(array_to_string(parts, chr(31)));
--> statement-breakpoint
CREATE FUNCTION search_text(orders, customers) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN searchable($1.id::text, $1.uuid::text, $1.tracking, $1.from_name, $1.to_name, $2.username);
--> statement-breakpoint
CREATE FUNCTION search_text(bulk_orders, customers) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN searchable($1.uuid::text, $2.username);
--> statement-breakpoint
CREATE FUNCTION search_text(invoices, customers) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN searchable($1.id::text, $2.username, $2.email);
--> statement-breakpoint
CREATE FUNCTION search_text(fedex_orders, customers) RETURNS text LANGUAGE sql IMMUTABLE
  RETURN searchable($1.uuid::text, $1.from_name, $1.to_name, $2.discord_id);
--> statement-breakpoint
UPDATE orders SET search = search_text(orders, customers) FROM customers WHERE customers.id = customer_id;--> statement-breakpoint
UPDATE bulk_orders SET search = search_text(bulk_orders, customers) FROM customers WHERE customers.id = customer_id;--> statement-breakpoint
UPDATE invoices SET search = search_text(invoices, customers) FROM customers WHERE customers.id = customer_id;--> statement-breakpoint
UPDATE fedex_orders SET admin_search = search_text(fedex_orders, customers) FROM customers WHERE customers.id = customer_id;--> statement-breakpoint
CREATE INDEX "orders_search" ON "orders" USING gin ("search" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "bulk_orders_search" ON "bulk_orders" USING gin ("search" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "invoices_search" ON "invoices" USING gin ("search" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "fedex_orders_admin_search" ON "fedex_orders" USING gin ("admin_search" gin_trgm_ops);--> statement-breakpoint
-- FOR SHARE: a customer who is renamed at this moment is renamed before or after, never past this row.
CREATE FUNCTION fill_search() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  customer customers;
BEGIN
  SELECT * INTO customer FROM customers WHERE id = new.customer_id FOR SHARE;
  new.search := search_text(new, customer);
  RETURN new;
END $$;
--> statement-breakpoint
CREATE TRIGGER fill_search BEFORE INSERT ON orders FOR EACH ROW EXECUTE FUNCTION fill_search();--> statement-breakpoint
CREATE TRIGGER fill_search BEFORE INSERT ON bulk_orders FOR EACH ROW EXECUTE FUNCTION fill_search();--> statement-breakpoint
CREATE TRIGGER fill_search BEFORE INSERT ON invoices FOR EACH ROW EXECUTE FUNCTION fill_search();--> statement-breakpoint
-- A discordId never changes.
CREATE FUNCTION fill_admin_search() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  customer customers;
BEGIN
  SELECT * INTO customer FROM customers WHERE id = new.customer_id;
  new.admin_search := search_text(new, customer);
  RETURN new;
END $$;
--> statement-breakpoint
CREATE TRIGGER fill_search BEFORE INSERT ON fedex_orders FOR EACH ROW EXECUTE FUNCTION fill_admin_search();--> statement-breakpoint
CREATE FUNCTION rename_in_search() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE orders SET search = search_text(orders, new) WHERE customer_id = new.id;
  UPDATE bulk_orders SET search = search_text(bulk_orders, new) WHERE customer_id = new.id;
  UPDATE invoices SET search = search_text(invoices, new) WHERE customer_id = new.id;
  RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER rename_in_search AFTER UPDATE ON customers FOR EACH ROW
  WHEN ((old.username, old.email) IS DISTINCT FROM (new.username, new.email))
  EXECUTE FUNCTION rename_in_search();
--> statement-breakpoint
-- How frequent a typed text is decides how it is best looked for: a larger sample knows.
ALTER TABLE orders ALTER COLUMN search SET STATISTICS 1000;--> statement-breakpoint
ALTER TABLE invoices ALTER COLUMN search SET STATISTICS 1000;--> statement-breakpoint
ALTER TABLE logs ALTER COLUMN search SET STATISTICS 1000;--> statement-breakpoint
ALTER TABLE customers ALTER COLUMN search SET STATISTICS 1000;
