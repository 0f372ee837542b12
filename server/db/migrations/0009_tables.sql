-- Exclusion constraints over an id and a range.
CREATE EXTENSION IF NOT EXISTS btree_gist;

CREATE TABLE accounts (
  id uuid PRIMARY KEY,
  username text NOT NULL,
  password_hash text NOT NULL,
  role text NOT NULL,
  chat_id text NOT NULL DEFAULT '',
  notification_access boolean NOT NULL DEFAULT false,
  created_at timestamptz NOT NULL DEFAULT now(),
  totp_secret text,
  totp_confirmed_at timestamptz,
  totp_last_step integer,
  CONSTRAINT accounts_role_known CHECK (role IN ('admin', 'staff'))
);
CREATE UNIQUE INDEX accounts_username_key ON accounts (lower(username));

CREATE TABLE recovery_codes (
  account_id uuid NOT NULL,
  code_hash text NOT NULL,
  CONSTRAINT recovery_codes_account_id_code_hash_pk PRIMARY KEY (account_id, code_hash),
  CONSTRAINT recovery_codes_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts ON DELETE CASCADE
);

CREATE TABLE code_tries (
  id uuid PRIMARY KEY,
  account_id uuid NOT NULL,
  tried_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT code_tries_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts ON DELETE CASCADE
);
CREATE INDEX code_tries_account_id_tried_at_index ON code_tries (account_id, tried_at);
CREATE INDEX code_tries_tried_at_index ON code_tries (tried_at);

CREATE TABLE sessions (
  token_hash text PRIMARY KEY,
  account_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz NOT NULL DEFAULT now(),
  id uuid NOT NULL DEFAULT gen_random_uuid(),
  device text NOT NULL DEFAULT '',
  address text NOT NULL DEFAULT '',
  CONSTRAINT sessions_account_id_accounts_id_fk FOREIGN KEY (account_id) REFERENCES accounts ON DELETE CASCADE
);
CREATE UNIQUE INDEX sessions_id_key ON sessions (id);
CREATE INDEX sessions_account_id_index ON sessions (account_id);
CREATE INDEX sessions_last_used_at_index ON sessions (last_used_at);

CREATE TABLE sign_in_tries (
  id uuid PRIMARY KEY,
  username text NOT NULL,
  address text NOT NULL,
  tried_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX sign_in_tries_tried_at_index ON sign_in_tries (tried_at);
CREATE INDEX sign_in_tries_username_address_tried_at_index ON sign_in_tries (username, address, tried_at);

CREATE TABLE api_keys (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  start text NOT NULL,
  key_hash text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  last_used_at timestamptz
);
CREATE UNIQUE INDEX api_keys_hash_key ON api_keys (key_hash);

CREATE TABLE idempotent_replies (
  caller text NOT NULL,
  key text NOT NULL,
  request text NOT NULL,
  reply json,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT idempotent_replies_caller_key_pk PRIMARY KEY (caller, key)
);
CREATE INDEX idempotent_replies_created_at_index ON idempotent_replies (created_at);

CREATE TABLE files (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  type text NOT NULL,
  size integer NOT NULL DEFAULT 0,
  created_at timestamptz NOT NULL DEFAULT now()
);
CREATE INDEX files_unattached ON files (created_at) WHERE size = 0;

CREATE TABLE file_chunks (
  file_id uuid NOT NULL,
  position integer NOT NULL,
  data bytea NOT NULL,
  CONSTRAINT file_chunks_file_id_position_pk PRIMARY KEY (file_id, "position"),
  CONSTRAINT file_chunks_file_id_files_id_fk FOREIGN KEY (file_id) REFERENCES files ON DELETE CASCADE
);

CREATE TABLE settings (
  id boolean PRIMARY KEY DEFAULT true,
  timezone text NOT NULL DEFAULT 'UTC',
  cashapp_id text NOT NULL DEFAULT '',
  image_file_id uuid,
  demo boolean,
  CONSTRAINT settings_one_row CHECK (id),
  CONSTRAINT settings_image_file_id_files_id_fk FOREIGN KEY (image_file_id) REFERENCES files
);

CREATE TABLE label_types (
  id uuid PRIMARY KEY,
  name text NOT NULL,
  uid text NOT NULL,
  max_weight numeric(12,3) NOT NULL,
  kind text NOT NULL,
  active boolean NOT NULL DEFAULT true,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT label_types_kind_known CHECK (kind IN ('usps', 'shipv2', 'wwbiz')),
  CONSTRAINT label_types_max_weight_positive CHECK (max_weight > 0)
);
CREATE UNIQUE INDEX label_types_uid_key ON label_types (lower(uid));

CREATE TABLE price_tiers (
  id uuid PRIMARY KEY,
  label_type_id uuid NOT NULL,
  from_weight numeric(12,3) NOT NULL,
  to_weight numeric(12,3) NOT NULL,
  price_cents bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT price_tiers_bounds CHECK (0 <= from_weight AND from_weight < to_weight),
  CONSTRAINT price_tiers_price CHECK (price_cents >= 0),
  -- A weight has one price: of two people adding overlapping tiers at once, one is refused.
  CONSTRAINT price_tiers_no_overlap EXCLUDE USING gist (label_type_id WITH =, numrange(from_weight, to_weight, '(]') WITH &&),
  CONSTRAINT price_tiers_label_type_id_label_types_id_fk FOREIGN KEY (label_type_id) REFERENCES label_types ON DELETE CASCADE
);

CREATE TABLE customers (
  id uuid PRIMARY KEY,
  username text NOT NULL,
  discord_id text NOT NULL,
  email text NOT NULL DEFAULT '',
  balance_cents bigint NOT NULL DEFAULT 0,
  active boolean NOT NULL DEFAULT true,
  custom_pricing_enabled boolean NOT NULL DEFAULT false,
  verified_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT customers_balance_in_range CHECK (balance_cents BETWEEN 0 AND 1000000000000)
);
CREATE UNIQUE INDEX customers_discord_id_key ON customers (discord_id);
CREATE INDEX customers_newest ON customers (created_at, id);
CREATE INDEX customers_unverified ON customers (created_at, id) WHERE verified_at IS NULL;

CREATE TABLE custom_prices (
  id uuid PRIMARY KEY,
  label_type_id uuid NOT NULL,
  from_weight numeric(12,3) NOT NULL,
  to_weight numeric(12,3) NOT NULL,
  price_cents bigint NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  customer_id uuid NOT NULL,
  CONSTRAINT custom_prices_bounds CHECK (0 <= from_weight AND from_weight < to_weight),
  CONSTRAINT custom_prices_price CHECK (price_cents >= 0),
  CONSTRAINT custom_prices_no_overlap EXCLUDE USING gist (customer_id WITH =, label_type_id WITH =, numrange(from_weight, to_weight, '(]') WITH &&),
  CONSTRAINT custom_prices_customer_id_customers_id_fk FOREIGN KEY (customer_id) REFERENCES customers ON DELETE CASCADE,
  CONSTRAINT custom_prices_label_type_id_label_types_id_fk FOREIGN KEY (label_type_id) REFERENCES label_types ON DELETE CASCADE
);
CREATE INDEX custom_prices_of_customer ON custom_prices (customer_id, created_at, id);
CREATE INDEX custom_prices_of_label_type ON custom_prices (label_type_id, to_weight);

CREATE TABLE tracking_codes (
  id uuid PRIMARY KEY,
  code text NOT NULL,
  type text NOT NULL,
  template text NOT NULL,
  used_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT tracking_codes_template_known CHECK (template IN ('evs', 'indica', 'pitney')),
  CONSTRAINT tracking_codes_type_known CHECK (type IN ('priority', 'express', 'ground_oz', 'ground_lbs'))
);
CREATE UNIQUE INDEX tracking_codes_code_key ON tracking_codes (code);
CREATE INDEX tracking_codes_newest ON tracking_codes (created_at, id);
CREATE INDEX tracking_codes_next ON tracking_codes (type, created_at, code) WHERE used_at IS NULL;

CREATE TABLE bulk_orders (
  id uuid PRIMARY KEY,
  uuid uuid NOT NULL DEFAULT gen_random_uuid(),
  customer_id uuid NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT bulk_orders_customer_id_customers_id_fk FOREIGN KEY (customer_id) REFERENCES customers
);
CREATE INDEX bulk_orders_newest ON bulk_orders (created_at, id);
CREATE INDEX bulk_orders_of_customer ON bulk_orders (customer_id, created_at, id);

CREATE TABLE orders (
  id uuid PRIMARY KEY,
  uuid uuid NOT NULL DEFAULT gen_random_uuid(),
  customer_id uuid NOT NULL,
  label_type_id uuid NOT NULL,
  bulk_order_id uuid,
  price_cents bigint NOT NULL,
  weight numeric(12,3) NOT NULL,
  tracking text NOT NULL DEFAULT '',
  from_name text NOT NULL,
  from_street text NOT NULL,
  from_street2 text NOT NULL DEFAULT '',
  from_city text NOT NULL,
  from_state text NOT NULL,
  from_zip text NOT NULL,
  to_name text NOT NULL,
  to_street text NOT NULL,
  to_street2 text NOT NULL DEFAULT '',
  to_city text NOT NULL,
  to_state text NOT NULL,
  to_zip text NOT NULL,
  from_company text NOT NULL DEFAULT '',
  from_country text NOT NULL,
  to_company text NOT NULL DEFAULT '',
  to_country text NOT NULL,
  refunded_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT orders_price CHECK (price_cents >= 0),
  CONSTRAINT orders_bulk_order_id_bulk_orders_id_fk FOREIGN KEY (bulk_order_id) REFERENCES bulk_orders,
  CONSTRAINT orders_customer_id_customers_id_fk FOREIGN KEY (customer_id) REFERENCES customers,
  CONSTRAINT orders_label_type_id_label_types_id_fk FOREIGN KEY (label_type_id) REFERENCES label_types
);
CREATE INDEX orders_newest ON orders (created_at, id);
CREATE INDEX orders_newest_active ON orders (created_at, id) WHERE refunded_at IS NULL;
CREATE INDEX orders_newest_refunded ON orders (created_at, id) WHERE refunded_at IS NOT NULL;
CREATE INDEX orders_of_bulk_order ON orders (bulk_order_id) WHERE bulk_order_id IS NOT NULL;
CREATE INDEX orders_of_customer ON orders (customer_id, created_at, id);

CREATE TABLE fedex_orders (
  id uuid PRIMARY KEY,
  uuid uuid NOT NULL DEFAULT gen_random_uuid(),
  customer_id uuid NOT NULL,
  price_cents bigint,
  status text NOT NULL DEFAULT 'Pending',
  note text NOT NULL DEFAULT '',
  file_id uuid,
  from_name text NOT NULL,
  from_street text NOT NULL,
  from_street2 text NOT NULL DEFAULT '',
  from_city text NOT NULL,
  from_state text NOT NULL,
  from_zip text NOT NULL,
  to_name text NOT NULL,
  to_street text NOT NULL,
  to_street2 text NOT NULL DEFAULT '',
  to_city text NOT NULL,
  to_state text NOT NULL,
  to_zip text NOT NULL,
  weight numeric(12,3) NOT NULL,
  length numeric(12,3) NOT NULL,
  width numeric(12,3) NOT NULL,
  height numeric(12,3) NOT NULL,
  dimension_unit text NOT NULL,
  weight_unit text NOT NULL,
  special_notes text NOT NULL DEFAULT '',
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT fedex_orders_price CHECK (price_cents >= 0),
  CONSTRAINT fedex_orders_status_known CHECK (status IN ('Pending', 'Completed', 'Cancelled', 'Awaiting User Input', 'In Process')),
  CONSTRAINT fedex_orders_customer_id_customers_id_fk FOREIGN KEY (customer_id) REFERENCES customers,
  CONSTRAINT fedex_orders_file_id_files_id_fk FOREIGN KEY (file_id) REFERENCES files
);
CREATE INDEX fedex_orders_file ON fedex_orders (file_id);
CREATE INDEX fedex_orders_newest ON fedex_orders (created_at, id);
CREATE INDEX fedex_orders_newest_of_status ON fedex_orders (status, created_at, id);
CREATE INDEX fedex_orders_of_customer ON fedex_orders (customer_id, created_at, id);

CREATE TABLE invoices (
  id uuid PRIMARY KEY,
  customer_id uuid NOT NULL,
  amount_cents bigint NOT NULL,
  payment_method text NOT NULL,
  status text NOT NULL DEFAULT 'pending',
  hosted_url text NOT NULL DEFAULT '',
  paid_at timestamptz,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT invoices_amount CHECK (amount_cents > 0),
  CONSTRAINT invoices_method_known CHECK (payment_method IN ('cashapp', 'paypal')),
  CONSTRAINT invoices_paid_at CHECK ((status = 'paid') = (paid_at IS NOT NULL)),
  CONSTRAINT invoices_status_known CHECK (status IN ('pending', 'paid', 'expired', 'failed')),
  CONSTRAINT invoices_customer_id_customers_id_fk FOREIGN KEY (customer_id) REFERENCES customers
);
CREATE INDEX invoices_newest ON invoices (created_at, id);
CREATE INDEX invoices_newest_of_status ON invoices (status, created_at, id);
CREATE INDEX invoices_of_customer ON invoices (customer_id, created_at, id);

CREATE TABLE transfers (
  id uuid PRIMARY KEY,
  customer_id uuid NOT NULL,
  kind text NOT NULL,
  amount_cents bigint NOT NULL,
  balance_after_cents bigint NOT NULL,
  reference uuid,
  actor text NOT NULL,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT transfers_balance_after CHECK (balance_after_cents >= 0),
  CONSTRAINT transfers_kind_known CHECK (kind IN ('deposit', 'purchase', 'refund', 'adjustment')),
  CONSTRAINT transfers_reference CHECK ((kind = 'adjustment') = (reference IS NULL)),
  CONSTRAINT transfers_customer_id_customers_id_fk FOREIGN KEY (customer_id) REFERENCES customers
);
CREATE UNIQUE INDEX transfers_once ON transfers (kind, reference);
CREATE INDEX transfers_of_customer ON transfers (customer_id, id);

CREATE TABLE logs (
  id uuid PRIMARY KEY,
  admin text NOT NULL,
  type text NOT NULL,
  action text NOT NULL,
  before jsonb,
  after jsonb,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT logs_type_known CHECK (type IN ('balance', 'refund', 'user', 'pricing', 'label', 'tracking', 'staff', 'fedex', 'invoice', 'website', 'session'))
);
CREATE INDEX logs_newest ON logs (created_at, id);
CREATE INDEX logs_newest_of_type ON logs (type, created_at, id);

INSERT INTO settings DEFAULT VALUES;
