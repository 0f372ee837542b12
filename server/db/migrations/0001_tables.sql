CREATE TABLE "accounts" (
	"id" uuid PRIMARY KEY NOT NULL,
	"username" text NOT NULL,
	"password_hash" text NOT NULL,
	"role" text NOT NULL,
	"chat_id" text DEFAULT '' NOT NULL,
	"notification_access" boolean DEFAULT false NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "accounts_role_known" CHECK ("accounts"."role" in ('admin', 'staff'))
);
--> statement-breakpoint
CREATE TABLE "api_keys" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"start" text NOT NULL,
	"key_hash" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone
);
--> statement-breakpoint
CREATE TABLE "bulk_orders" (
	"id" uuid PRIMARY KEY NOT NULL,
	"uuid" uuid DEFAULT gen_random_uuid() NOT NULL,
	"customer_id" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"search" text GENERATED ALWAYS AS (lower(uuid::text)) STORED
);
--> statement-breakpoint
CREATE TABLE "counted" (
	"subject" text NOT NULL,
	"table" text NOT NULL,
	"kind" text NOT NULL,
	"at" text NOT NULL,
	"cents" text NOT NULL,
	CONSTRAINT "counted_subject_pk" PRIMARY KEY("subject")
);
--> statement-breakpoint
CREATE TABLE "counters" (
	"subject" text NOT NULL,
	"kind" text NOT NULL,
	"day" date NOT NULL,
	"slot" smallint NOT NULL,
	"count" bigint NOT NULL,
	"cents" bigint NOT NULL,
	CONSTRAINT "counters_subject_kind_day_slot_pk" PRIMARY KEY("subject","kind","day","slot")
);
--> statement-breakpoint
CREATE TABLE "custom_prices" (
	"id" uuid PRIMARY KEY NOT NULL,
	"label_type_id" uuid NOT NULL,
	"from_weight" numeric(12, 3) NOT NULL,
	"to_weight" numeric(12, 3) NOT NULL,
	"price_cents" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"customer_id" uuid NOT NULL,
	CONSTRAINT "custom_prices_bounds" CHECK (0 <= "custom_prices"."from_weight" and "custom_prices"."from_weight" < "custom_prices"."to_weight"),
	CONSTRAINT "custom_prices_price" CHECK ("custom_prices"."price_cents" >= 0)
);
--> statement-breakpoint
CREATE TABLE "customers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"username" text NOT NULL,
	"discord_id" text NOT NULL,
	"email" text DEFAULT '' NOT NULL,
	"balance_cents" bigint DEFAULT 0 NOT NULL,
	"active" boolean DEFAULT true NOT NULL,
	"custom_pricing_enabled" boolean DEFAULT false NOT NULL,
	"verified_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"search" text GENERATED ALWAYS AS (lower(username || chr(31) || discord_id || chr(31) || email)) STORED,
	CONSTRAINT "customers_balance_in_range" CHECK ("customers"."balance_cents" between 0 and 1000000000000)
);
--> statement-breakpoint
CREATE TABLE "fedex_orders" (
	"id" uuid PRIMARY KEY NOT NULL,
	"uuid" uuid DEFAULT gen_random_uuid() NOT NULL,
	"customer_id" uuid NOT NULL,
	"price_cents" bigint,
	"status" text DEFAULT 'Pending' NOT NULL,
	"note" text DEFAULT '' NOT NULL,
	"file_id" uuid,
	"from_name" text NOT NULL,
	"from_street" text NOT NULL,
	"from_street2" text DEFAULT '' NOT NULL,
	"from_city" text NOT NULL,
	"from_state" text NOT NULL,
	"from_zip" text NOT NULL,
	"to_name" text NOT NULL,
	"to_street" text NOT NULL,
	"to_street2" text DEFAULT '' NOT NULL,
	"to_city" text NOT NULL,
	"to_state" text NOT NULL,
	"to_zip" text NOT NULL,
	"weight" numeric(12, 3) NOT NULL,
	"length" numeric(12, 3) NOT NULL,
	"width" numeric(12, 3) NOT NULL,
	"height" numeric(12, 3) NOT NULL,
	"dimension_unit" text NOT NULL,
	"weight_unit" text NOT NULL,
	"special_notes" text DEFAULT '' NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"search" text GENERATED ALWAYS AS (lower(uuid::text || chr(31) || from_name || chr(31) || to_name)) STORED,
	CONSTRAINT "fedex_orders_price" CHECK ("fedex_orders"."price_cents" >= 0),
	CONSTRAINT "fedex_orders_status_known" CHECK ("fedex_orders"."status" in ('Pending', 'Completed', 'Cancelled', 'Awaiting User Input', 'In Process'))
);
--> statement-breakpoint
CREATE TABLE "file_chunks" (
	"file_id" uuid NOT NULL,
	"position" integer NOT NULL,
	"data" "bytea" NOT NULL,
	CONSTRAINT "file_chunks_file_id_position_pk" PRIMARY KEY("file_id","position")
);
--> statement-breakpoint
CREATE TABLE "files" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"type" text NOT NULL,
	"size" integer DEFAULT 0 NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "idempotent_replies" (
	"caller" text NOT NULL,
	"key" text NOT NULL,
	"request" text NOT NULL,
	"reply" json,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "idempotent_replies_caller_key_pk" PRIMARY KEY("caller","key")
);
--> statement-breakpoint
CREATE TABLE "invoices" (
	"id" uuid PRIMARY KEY NOT NULL,
	"customer_id" uuid NOT NULL,
	"amount_cents" bigint NOT NULL,
	"payment_method" text NOT NULL,
	"status" text DEFAULT 'pending' NOT NULL,
	"hosted_url" text DEFAULT '' NOT NULL,
	"paid_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"search" text GENERATED ALWAYS AS (lower(id::text)) STORED,
	CONSTRAINT "invoices_amount" CHECK ("invoices"."amount_cents" > 0),
	CONSTRAINT "invoices_method_known" CHECK ("invoices"."payment_method" in ('cashapp', 'paypal')),
	CONSTRAINT "invoices_status_known" CHECK ("invoices"."status" in ('pending', 'paid', 'expired', 'failed')),
	CONSTRAINT "invoices_paid_at" CHECK (("invoices"."status" = 'paid') = ("invoices"."paid_at" is not null))
);
--> statement-breakpoint
CREATE TABLE "label_types" (
	"id" uuid PRIMARY KEY NOT NULL,
	"name" text NOT NULL,
	"uid" text NOT NULL,
	"max_weight" numeric(12, 3) NOT NULL,
	"kind" text NOT NULL,
	"active" boolean DEFAULT true NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "label_types_kind_known" CHECK ("label_types"."kind" in ('usps', 'shipv2', 'wwbiz')),
	CONSTRAINT "label_types_max_weight_positive" CHECK ("label_types"."max_weight" > 0)
);
--> statement-breakpoint
CREATE TABLE "logs" (
	"id" uuid PRIMARY KEY NOT NULL,
	"admin" text NOT NULL,
	"type" text NOT NULL,
	"action" text NOT NULL,
	"before" jsonb,
	"after" jsonb,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"search" text GENERATED ALWAYS AS (lower(admin || chr(31) || action)) STORED,
	CONSTRAINT "logs_type_known" CHECK ("logs"."type" in ('balance', 'refund', 'user', 'pricing', 'label', 'tracking', 'staff', 'fedex', 'invoice', 'website', 'session'))
);
--> statement-breakpoint
CREATE TABLE "orders" (
	"id" uuid PRIMARY KEY NOT NULL,
	"uuid" uuid DEFAULT gen_random_uuid() NOT NULL,
	"customer_id" uuid NOT NULL,
	"label_type_id" uuid NOT NULL,
	"bulk_order_id" uuid,
	"price_cents" bigint NOT NULL,
	"weight" numeric(12, 3) NOT NULL,
	"tracking" text DEFAULT '' NOT NULL,
	"from_name" text NOT NULL,
	"from_street" text NOT NULL,
	"from_street2" text DEFAULT '' NOT NULL,
	"from_city" text NOT NULL,
	"from_state" text NOT NULL,
	"from_zip" text NOT NULL,
	"to_name" text NOT NULL,
	"to_street" text NOT NULL,
	"to_street2" text DEFAULT '' NOT NULL,
	"to_city" text NOT NULL,
	"to_state" text NOT NULL,
	"to_zip" text NOT NULL,
	"from_company" text DEFAULT '' NOT NULL,
	"from_country" text NOT NULL,
	"to_company" text DEFAULT '' NOT NULL,
	"to_country" text NOT NULL,
	"refunded_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"search" text GENERATED ALWAYS AS (lower(id::text || chr(31) || uuid::text || chr(31) || tracking || chr(31) || from_name || chr(31) || to_name)) STORED,
	CONSTRAINT "orders_price" CHECK ("orders"."price_cents" >= 0)
);
--> statement-breakpoint
CREATE TABLE "price_tiers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"label_type_id" uuid NOT NULL,
	"from_weight" numeric(12, 3) NOT NULL,
	"to_weight" numeric(12, 3) NOT NULL,
	"price_cents" bigint NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "price_tiers_bounds" CHECK (0 <= "price_tiers"."from_weight" and "price_tiers"."from_weight" < "price_tiers"."to_weight"),
	CONSTRAINT "price_tiers_price" CHECK ("price_tiers"."price_cents" >= 0)
);
--> statement-breakpoint
CREATE TABLE "sessions" (
	"token_hash" text PRIMARY KEY NOT NULL,
	"account_id" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "settings" (
	"id" boolean PRIMARY KEY DEFAULT true NOT NULL,
	"timezone" text DEFAULT 'UTC' NOT NULL,
	"cashapp_id" text DEFAULT '' NOT NULL,
	"image_file_id" uuid,
	"demo" boolean,
	CONSTRAINT "settings_one_row" CHECK ("settings"."id")
);
--> statement-breakpoint
CREATE TABLE "sign_in_tries" (
	"id" uuid PRIMARY KEY NOT NULL,
	"username" text NOT NULL,
	"address" text NOT NULL,
	"tried_at" timestamp with time zone DEFAULT now() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "tracking_codes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"code" text NOT NULL,
	"type" text NOT NULL,
	"template" text NOT NULL,
	"used_at" timestamp with time zone,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "tracking_codes_type_known" CHECK ("tracking_codes"."type" in ('priority', 'express', 'ground_oz', 'ground_lbs')),
	CONSTRAINT "tracking_codes_template_known" CHECK ("tracking_codes"."template" in ('evs', 'indica', 'pitney'))
);
--> statement-breakpoint
CREATE TABLE "transfers" (
	"id" uuid PRIMARY KEY NOT NULL,
	"customer_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"amount_cents" bigint NOT NULL,
	"balance_after_cents" bigint NOT NULL,
	"reference" uuid,
	"actor" text NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "transfers_kind_known" CHECK ("transfers"."kind" in ('deposit', 'purchase', 'refund', 'adjustment')),
	CONSTRAINT "transfers_balance_after" CHECK ("transfers"."balance_after_cents" >= 0),
	CONSTRAINT "transfers_reference" CHECK (("transfers"."kind" = 'adjustment') = ("transfers"."reference" is null))
);
--> statement-breakpoint
ALTER TABLE "bulk_orders" ADD CONSTRAINT "bulk_orders_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "custom_prices" ADD CONSTRAINT "custom_prices_label_type_id_label_types_id_fk" FOREIGN KEY ("label_type_id") REFERENCES "public"."label_types"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "custom_prices" ADD CONSTRAINT "custom_prices_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "fedex_orders" ADD CONSTRAINT "fedex_orders_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "fedex_orders" ADD CONSTRAINT "fedex_orders_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "file_chunks" ADD CONSTRAINT "file_chunks_file_id_files_id_fk" FOREIGN KEY ("file_id") REFERENCES "public"."files"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "invoices" ADD CONSTRAINT "invoices_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_label_type_id_label_types_id_fk" FOREIGN KEY ("label_type_id") REFERENCES "public"."label_types"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "orders" ADD CONSTRAINT "orders_bulk_order_id_bulk_orders_id_fk" FOREIGN KEY ("bulk_order_id") REFERENCES "public"."bulk_orders"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "price_tiers" ADD CONSTRAINT "price_tiers_label_type_id_label_types_id_fk" FOREIGN KEY ("label_type_id") REFERENCES "public"."label_types"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "sessions" ADD CONSTRAINT "sessions_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "settings" ADD CONSTRAINT "settings_image_file_id_files_id_fk" FOREIGN KEY ("image_file_id") REFERENCES "public"."files"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "transfers" ADD CONSTRAINT "transfers_customer_id_customers_id_fk" FOREIGN KEY ("customer_id") REFERENCES "public"."customers"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
CREATE UNIQUE INDEX "accounts_username_key" ON "accounts" USING btree (lower("username"));--> statement-breakpoint
CREATE UNIQUE INDEX "api_keys_hash_key" ON "api_keys" USING btree ("key_hash");--> statement-breakpoint
CREATE UNIQUE INDEX "bulk_orders_uuid_key" ON "bulk_orders" USING btree ("uuid");--> statement-breakpoint
CREATE INDEX "bulk_orders_newest" ON "bulk_orders" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "bulk_orders_of_customer" ON "bulk_orders" USING btree ("customer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "bulk_orders_search" ON "bulk_orders" USING gin ("search" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "custom_prices_of_label_type" ON "custom_prices" USING btree ("label_type_id","to_weight");--> statement-breakpoint
CREATE INDEX "custom_prices_of_customer" ON "custom_prices" USING btree ("customer_id","created_at","id");--> statement-breakpoint
CREATE UNIQUE INDEX "customers_discord_id_key" ON "customers" USING btree ("discord_id");--> statement-breakpoint
CREATE INDEX "customers_newest" ON "customers" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "customers_unverified" ON "customers" USING btree ("created_at","id") WHERE "customers"."verified_at" is null;--> statement-breakpoint
CREATE INDEX "customers_search" ON "customers" USING gin ("search" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "customers_username_search" ON "customers" USING gin (lower("username") gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "customers_discord_id_search" ON "customers" USING gin (lower("discord_id") gin_trgm_ops);--> statement-breakpoint
CREATE UNIQUE INDEX "fedex_orders_uuid_key" ON "fedex_orders" USING btree ("uuid");--> statement-breakpoint
CREATE INDEX "fedex_orders_newest" ON "fedex_orders" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "fedex_orders_newest_of_status" ON "fedex_orders" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "fedex_orders_of_customer" ON "fedex_orders" USING btree ("customer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "fedex_orders_file" ON "fedex_orders" USING btree ("file_id");--> statement-breakpoint
CREATE INDEX "fedex_orders_search" ON "fedex_orders" USING gin ("search" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "files_unattached" ON "files" USING btree ("created_at") WHERE "files"."size" = 0;--> statement-breakpoint
CREATE INDEX "idempotent_replies_created_at_index" ON "idempotent_replies" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "invoices_newest" ON "invoices" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "invoices_newest_of_status" ON "invoices" USING btree ("status","created_at","id");--> statement-breakpoint
CREATE INDEX "invoices_of_customer" ON "invoices" USING btree ("customer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "invoices_search" ON "invoices" USING gin ("search" gin_trgm_ops);--> statement-breakpoint
CREATE UNIQUE INDEX "label_types_uid_key" ON "label_types" USING btree (lower("uid"));--> statement-breakpoint
CREATE INDEX "logs_newest" ON "logs" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "logs_newest_of_type" ON "logs" USING btree ("type","created_at","id");--> statement-breakpoint
CREATE INDEX "logs_search" ON "logs" USING gin ("search" gin_trgm_ops);--> statement-breakpoint
CREATE UNIQUE INDEX "orders_uuid_key" ON "orders" USING btree ("uuid");--> statement-breakpoint
CREATE INDEX "orders_newest" ON "orders" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "orders_newest_active" ON "orders" USING btree ("created_at","id") WHERE "orders"."refunded_at" is null;--> statement-breakpoint
CREATE INDEX "orders_newest_refunded" ON "orders" USING btree ("created_at","id") WHERE "orders"."refunded_at" is not null;--> statement-breakpoint
CREATE INDEX "orders_of_customer" ON "orders" USING btree ("customer_id","created_at","id");--> statement-breakpoint
CREATE INDEX "orders_of_bulk_order" ON "orders" USING btree ("bulk_order_id") WHERE "orders"."bulk_order_id" is not null;--> statement-breakpoint
CREATE INDEX "orders_search" ON "orders" USING gin ("search" gin_trgm_ops);--> statement-breakpoint
CREATE INDEX "sessions_account_id_index" ON "sessions" USING btree ("account_id");--> statement-breakpoint
CREATE INDEX "sessions_last_used_at_index" ON "sessions" USING btree ("last_used_at");--> statement-breakpoint
CREATE INDEX "sign_in_tries_username_address_tried_at_index" ON "sign_in_tries" USING btree ("username","address","tried_at");--> statement-breakpoint
CREATE INDEX "sign_in_tries_tried_at_index" ON "sign_in_tries" USING btree ("tried_at");--> statement-breakpoint
CREATE UNIQUE INDEX "tracking_codes_code_key" ON "tracking_codes" USING btree ("code");--> statement-breakpoint
CREATE INDEX "tracking_codes_newest" ON "tracking_codes" USING btree ("created_at","id");--> statement-breakpoint
CREATE INDEX "tracking_codes_next" ON "tracking_codes" USING btree ("type","created_at","code") WHERE "tracking_codes"."used_at" is null;--> statement-breakpoint
CREATE INDEX "tracking_codes_search" ON "tracking_codes" USING gin (lower("code") gin_trgm_ops);--> statement-breakpoint
CREATE UNIQUE INDEX "transfers_once" ON "transfers" USING btree ("kind","reference");--> statement-breakpoint
CREATE INDEX "transfers_of_customer" ON "transfers" USING btree ("customer_id","id");