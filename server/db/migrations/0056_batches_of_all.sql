-- Batches of servers of an earlier version, which registered codes while the table of batches was being made.
INSERT INTO code_batches (id, type, template, first, last, amount, created_at)
  SELECT batch_id, min(type), min(template), min(code), max(code), count(*), min(created_at)
  FROM tracking_codes
  WHERE batch_id IS NOT NULL AND NOT EXISTS (SELECT FROM code_batches WHERE code_batches.id = batch_id)
  GROUP BY batch_id
  ON CONFLICT DO NOTHING;
