-- A weight has one price: of two people adding overlapping tiers at once, one is refused.
ALTER TABLE price_tiers ADD CONSTRAINT price_tiers_no_overlap
  EXCLUDE USING gist (label_type_id WITH =, numrange(from_weight, to_weight, '(]') WITH &&);
--> statement-breakpoint
ALTER TABLE custom_prices ADD CONSTRAINT custom_prices_no_overlap
  EXCLUDE USING gist (customer_id WITH =, label_type_id WITH =, numrange(from_weight, to_weight, '(]') WITH &&);
--> statement-breakpoint
INSERT INTO settings DEFAULT VALUES;
