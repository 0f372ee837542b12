-- What customers were shown to pay to. Changes take turns at the settings' row, which gives them their number.
CREATE TABLE payment_handles (
  id uuid PRIMARY KEY,
  number integer NOT NULL,
  handle text NOT NULL,
  previous text NOT NULL,
  image_file_id uuid REFERENCES files ON DELETE SET NULL,
  qr text[] NOT NULL DEFAULT '{}',
  image_is_older boolean NOT NULL DEFAULT false,
  warnings text[] NOT NULL DEFAULT '{}',
  actor text,
  actor_kind text,
  actor_id uuid,
  created_at timestamptz NOT NULL DEFAULT now(),
  CONSTRAINT payment_handles_number_key UNIQUE (number)
);
-- A server of an earlier version removes the image that it replaces: it is looked for here.
CREATE INDEX payment_handles_image ON payment_handles (image_file_id);
-- What is shown now can be returned to. What its QR code says is read when somebody next changes it.
INSERT INTO payment_handles (id, number, handle, previous, image_file_id)
SELECT gen_random_uuid(), 1, cashapp_id, '', image_file_id FROM settings WHERE cashapp_id <> '' OR image_file_id IS NOT NULL;
