-- The UUIDs in a text that is in lower case.
CREATE FUNCTION uuids_in(searched text) RETURNS uuid[] LANGUAGE plpgsql IMMUTABLE STRICT PARALLEL SAFE AS $$
BEGIN
  RETURN ARRAY(SELECT (regexp_matches(searched, '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', 'g'))[1]::uuid);
END $$;
--> statement-breakpoint
CREATE INDEX "bulk_orders_mentioned_uuids" ON "bulk_orders" USING gin (uuids_in("search")) WHERE length("bulk_orders"."search") - length(replace("bulk_orders"."search", '-', '')) >= 8;--> statement-breakpoint
CREATE INDEX "fedex_orders_mentioned_uuids" ON "fedex_orders" USING gin (uuids_in("search")) WHERE length("fedex_orders"."search") - length(replace("fedex_orders"."search", '-', '')) >= 8;--> statement-breakpoint
CREATE INDEX "fedex_orders_admin_mentioned_uuids" ON "fedex_orders" USING gin (uuids_in("admin_search")) WHERE length("fedex_orders"."admin_search") - length(replace("fedex_orders"."admin_search", '-', '')) >= 8;--> statement-breakpoint
CREATE INDEX "invoices_mentioned_uuids" ON "invoices" USING gin (uuids_in("search")) WHERE length("invoices"."search") - length(replace("invoices"."search", '-', '')) >= 8;--> statement-breakpoint
CREATE INDEX "logs_mentioned_uuids" ON "logs" USING gin (uuids_in("search")) WHERE length("logs"."search") - length(replace("logs"."search", '-', '')) >= 4;--> statement-breakpoint
CREATE INDEX "orders_tracking" ON "orders" USING btree (lower("tracking"));--> statement-breakpoint
CREATE INDEX "orders_mentioned_uuids" ON "orders" USING gin (uuids_in("search")) WHERE length("orders"."search") - length(replace("orders"."search", '-', '')) >= 12;--> statement-breakpoint
-- What was written last waits in a list that every search goes through, until somebody's order has to file it all:
-- a shorter list costs searches less, and that order too.
ALTER INDEX "orders_search" SET (gin_pending_list_limit = 512);--> statement-breakpoint
ALTER INDEX "logs_search" SET (gin_pending_list_limit = 512);--> statement-breakpoint
ALTER INDEX "invoices_search" SET (gin_pending_list_limit = 512);--> statement-breakpoint
ALTER INDEX "bulk_orders_search" SET (gin_pending_list_limit = 512);--> statement-breakpoint
ALTER INDEX "fedex_orders_search" SET (gin_pending_list_limit = 512);--> statement-breakpoint
ALTER INDEX "fedex_orders_admin_search" SET (gin_pending_list_limit = 512);--> statement-breakpoint
ALTER INDEX "customers_search" SET (gin_pending_list_limit = 512);--> statement-breakpoint
ALTER INDEX "tracking_codes_search" SET (gin_pending_list_limit = 512);--> statement-breakpoint
ALTER INDEX "logs_mentioned_uuids" SET (gin_pending_list_limit = 512);
