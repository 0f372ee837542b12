-- What searches looked through before, where a database comes from there.
DROP TRIGGER IF EXISTS rename_in_search ON customers;
DROP TRIGGER IF EXISTS fill_search ON orders;
DROP TRIGGER IF EXISTS fill_search ON bulk_orders;
DROP TRIGGER IF EXISTS fill_search ON invoices;
DROP TRIGGER IF EXISTS fill_search ON fedex_orders;
DROP FUNCTION IF EXISTS rename_in_search(), fill_search(), fill_admin_search(), search_text(orders, customers),
  search_text(bulk_orders, customers), search_text(invoices, customers), search_text(fedex_orders, customers);
DROP FUNCTION IF EXISTS searchable(text[]);
DROP INDEX IF EXISTS tracking_codes_search, orders_tracking;

-- What a search finds a row by, as decision 9 has it. Of names, every part that reaches to the end of a word: what is
-- typed is the beginning of one of these, wherever in a name it stands. Of codes, kept apart by chr(31),
-- the beginning and, backwards, the end, without the hyphens and spaces that people leave out or put in.
CREATE FUNCTION search_keys(names text, codes text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  -- Longer ones are compared in the row itself.
  longest CONSTANT int := 12;
  separators CONSTANT text := E'\x01\x02\x03\x04\x05\x06\x07\x08\x09\x0a\x0b\x0c\x0d\x0e\x0f\x10\x11\x12\x13\x14\x15\x16\x17\x18\x19\x1a\x1b\x1c\x1d\x1e\x1f !"#$%&''()*+,-./:;<=>?@[\\]^_`{|}~\x7f';
  keys text[] := '{}';
  word text;
BEGIN
  FOREACH word IN ARRAY string_to_array(translate(lower(names), separators || 'ς', repeat(' ', length(separators)) || 'σ'), ' ') LOOP
    FOR place IN 1 .. length(word) - 1 LOOP
      keys := keys || substr(word, place, longest);
    END LOOP;
  END LOOP;
  FOREACH word IN ARRAY string_to_array(translate(lower(codes), ' -', ''), chr(31)) LOOP
    CONTINUE WHEN word = '';
    keys := keys || ('=' || left(word, longest)) || ('~' || left(reverse(word), longest));
  END LOOP;
  RETURN array_to_tsvector(keys);
END $$;

-- A sentence of the log: ids and long numbers in it are codes, the rest are words.
CREATE FUNCTION log_search_keys(admin text, action text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  code CONSTANT text := '^\W*([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{10,})(?:\W|$)';
  names text := admin;
  codes text := '';
  part text;
  matched text;
BEGIN
  FOREACH part IN ARRAY string_to_array(action, ' ') LOOP
    matched := CASE WHEN length(part) > 9 THEN substring(part FROM code) END;
    IF matched IS NOT NULL THEN
      codes := codes || chr(31) || matched;
      part := replace(part, matched, ' ');
    END IF;
    names := names || ' ' || part;
  END LOOP;
  RETURN public.search_keys(names, codes);
END $$;

-- The column "search" of every table that can be searched. The database computes it; nothing else writes it.
ALTER TABLE customers DROP COLUMN IF EXISTS search, ADD COLUMN search tsvector
  GENERATED ALWAYS AS (search_keys(username || chr(31) || email, id::text || chr(31) || discord_id)) STORED;
ALTER TABLE bulk_orders DROP COLUMN IF EXISTS search, ADD COLUMN search tsvector
  GENERATED ALWAYS AS (search_keys('', id::text || chr(31) || uuid::text)) STORED;
ALTER TABLE orders DROP COLUMN IF EXISTS search, ADD COLUMN search tsvector
  GENERATED ALWAYS AS (search_keys(from_name || chr(31) || to_name, id::text || chr(31) || uuid::text || chr(31) || tracking)) STORED;
ALTER TABLE fedex_orders DROP COLUMN IF EXISTS search, DROP COLUMN IF EXISTS admin_search, ADD COLUMN search tsvector
  GENERATED ALWAYS AS (search_keys(from_name || chr(31) || to_name, id::text || chr(31) || uuid::text)) STORED;
ALTER TABLE invoices DROP COLUMN IF EXISTS search, ADD COLUMN search tsvector
  GENERATED ALWAYS AS (search_keys('', id::text)) STORED;
ALTER TABLE tracking_codes ADD COLUMN search tsvector
  GENERATED ALWAYS AS (search_keys('', code)) STORED;
ALTER TABLE logs DROP COLUMN IF EXISTS search, ADD COLUMN search tsvector
  GENERATED ALWAYS AS (log_search_keys(admin, action)) STORED;

DROP FUNCTION IF EXISTS uuids_in(text);
