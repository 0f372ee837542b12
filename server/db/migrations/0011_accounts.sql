-- Who made a change, beside the name they had: names may be chosen, changed and reused.
ALTER TABLE "logs" ADD COLUMN "actor_kind" text;--> statement-breakpoint
ALTER TABLE "logs" ADD COLUMN "actor_id" uuid;--> statement-breakpoint
ALTER TABLE "transfers" ADD COLUMN "actor_kind" text;--> statement-breakpoint
ALTER TABLE "transfers" ADD COLUMN "actor_id" uuid;
--> statement-breakpoint
CREATE INDEX "logs_newest_of_actor" ON "logs" USING btree ("actor_id","created_at","id");--> statement-breakpoint
-- Guessing: how long the next try has to wait, and the browsers that do not have to.
CREATE TABLE "sign_in_limits" (
	"guesser" text PRIMARY KEY NOT NULL,
	"tries" integer DEFAULT 0 NOT NULL,
	"tried_at" timestamp with time zone DEFAULT now() NOT NULL,
	"failures" integer DEFAULT 0 NOT NULL,
	"told_at" timestamp with time zone
);
--> statement-breakpoint
CREATE INDEX "sign_in_limits_tried_at_index" ON "sign_in_limits" USING btree ("tried_at");--> statement-breakpoint
CREATE TABLE "known_devices" (
	"token_hash" text NOT NULL,
	"account_id" uuid NOT NULL,
	"created_at" timestamp with time zone DEFAULT now() NOT NULL,
	"last_used_at" timestamp with time zone DEFAULT now() NOT NULL,
	CONSTRAINT "known_devices_account_id_token_hash_pk" PRIMARY KEY("account_id","token_hash")
);
--> statement-breakpoint
ALTER TABLE "known_devices" ADD CONSTRAINT "known_devices_account_id_accounts_id_fk" FOREIGN KEY ("account_id") REFERENCES "public"."accounts"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "known_devices_token_hash_index" ON "known_devices" USING btree ("token_hash");--> statement-breakpoint
CREATE INDEX "known_devices_last_used_at_index" ON "known_devices" USING btree ("last_used_at");--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "known_device" text;--> statement-breakpoint
ALTER TABLE "sessions" ADD COLUMN "failures_before" integer DEFAULT 0 NOT NULL;
