-- Who made a change, beside the name they had: names may be chosen, changed and reused.
ALTER TABLE "logs" ADD COLUMN "actor_kind" text;--> statement-breakpoint
ALTER TABLE "logs" ADD COLUMN "actor_id" uuid;--> statement-breakpoint
ALTER TABLE "transfers" ADD COLUMN "actor_kind" text;--> statement-breakpoint
ALTER TABLE "transfers" ADD COLUMN "actor_id" uuid;
