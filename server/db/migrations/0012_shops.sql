-- What a shop created belongs to it. Keys belong to a shop, so that one can be replaced.
CREATE TABLE shops (
  id uuid PRIMARY KEY NOT NULL,
  name text NOT NULL,
  created_at timestamptz DEFAULT now() NOT NULL
);
-- A key from before gets a shop with the key's own id, since the answers it may ask for again are kept under that.
INSERT INTO shops (id, name, created_at) SELECT id, name, created_at FROM api_keys;
ALTER TABLE api_keys ADD COLUMN shop_id uuid CONSTRAINT api_keys_shop_id_shops_id_fk REFERENCES shops(id);
UPDATE api_keys SET shop_id = id;
ALTER TABLE api_keys ALTER COLUMN shop_id SET NOT NULL;
-- It goes on seeing everything; keys made from now on see what is their shop's.
ALTER TABLE api_keys ADD COLUMN bounded boolean DEFAULT false NOT NULL;
ALTER TABLE api_keys ALTER COLUMN bounded SET DEFAULT true;
ALTER TABLE api_keys ADD COLUMN scopes text[] DEFAULT '{orders,customers,deposits,mark-as-paid}' NOT NULL;
ALTER TABLE api_keys ADD COLUMN deposits_per_day_cents bigint;
ALTER TABLE api_keys ADD COLUMN expires_at timestamptz;
ALTER TABLE api_keys ADD COLUMN addresses text[] DEFAULT '{}' NOT NULL;
-- Among those from before, names may repeat.
CREATE UNIQUE INDEX api_keys_name_key ON api_keys (lower(name)) WHERE bounded;
-- Where there is one key, all that came in before is its shop's; where there are several, nobody can tell whose it is.
-- As the default of a new column that costs nothing, however many rows there are.
DO $$
DECLARE
  only_shop uuid := (SELECT min(id::text) FROM shops HAVING count(*) = 1);
  owned text;
BEGIN
  FOREACH owned IN ARRAY ARRAY['customers', 'orders', 'bulk_orders', 'fedex_orders', 'invoices'] LOOP
    EXECUTE format('ALTER TABLE %I ADD COLUMN shop_id uuid DEFAULT %L', owned, only_shop);
    EXECUTE format('ALTER TABLE %I ALTER COLUMN shop_id DROP DEFAULT', owned);
  END LOOP;
END $$;
