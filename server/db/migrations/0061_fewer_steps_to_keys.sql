-- The same keys with less work, since every order, code and entry of the log has some: fewer steps for each word and
-- part, and no regular expression where plain functions will do.

-- All ends of a word that is longer than a key.
CREATE FUNCTION ends_of_long_word(word text) RETURNS text[] LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  ends text[] := '{}';
BEGIN
  FOR place IN 1 .. length(word) - 1 LOOP
    ends := ends || substr(word, place, 12);
  END LOOP;
  RETURN ends;
END $$;

CREATE OR REPLACE FUNCTION search_keys(names text, codes text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  keys text[] := '{}';
  plain text;
  word text;
BEGIN
  FOREACH word IN ARRAY string_to_array(replace(replace(lower(codes), '-', ''), ' ', ''), chr(31)) LOOP
    keys := keys || CASE WHEN word <> '' THEN ARRAY['=' || left(word, 12), '~' || reverse(right(word, 12))] END;
  END LOOP;
  IF names <> '' THEN
    -- The most frequent separators one by one, which is quicker; for all others a regular expression.
    plain := replace(replace(replace(replace(replace(replace(replace(replace(replace(lower(names), 'ς', 'σ'),
      chr(31), ' '), '-', ' '), '.', ' '), '_', ' '), '$', ' '), '(', ' '), ')', ' '), '  ', ' ');
    IF plain ~ '[\x01-\x1f\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]' THEN
      plain := regexp_replace(plain, '[\x01-\x1f\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]+', ' ', 'g');
    END IF;
    FOREACH word IN ARRAY string_to_array(plain, ' ') LOOP
      keys := keys || CASE length(word)
        WHEN 0 THEN NULL
        WHEN 1 THEN NULL
        WHEN 2 THEN ARRAY[word]
        WHEN 3 THEN ARRAY[word, right(word, -1)]
        WHEN 4 THEN ARRAY[word, right(word, -1), right(word, -2)]
        WHEN 5 THEN ARRAY[word, right(word, -1), right(word, -2), right(word, -3)]
        WHEN 6 THEN ARRAY[word, right(word, -1), right(word, -2), right(word, -3), right(word, -4)]
        WHEN 7 THEN ARRAY[word, right(word, -1), right(word, -2), right(word, -3), right(word, -4), right(word, -5)]
        WHEN 8 THEN ARRAY[word, right(word, -1), right(word, -2), right(word, -3), right(word, -4), right(word, -5),
          right(word, -6)]
        WHEN 9 THEN ARRAY[word, right(word, -1), right(word, -2), right(word, -3), right(word, -4), right(word, -5),
          right(word, -6), right(word, -7)]
        WHEN 10 THEN ARRAY[word, right(word, -1), right(word, -2), right(word, -3), right(word, -4), right(word, -5),
          right(word, -6), right(word, -7), right(word, -8)]
        WHEN 11 THEN ARRAY[word, right(word, -1), right(word, -2), right(word, -3), right(word, -4), right(word, -5),
          right(word, -6), right(word, -7), right(word, -8), right(word, -9)]
        WHEN 12 THEN ARRAY[word, right(word, -1), right(word, -2), right(word, -3), right(word, -4), right(word, -5),
          right(word, -6), right(word, -7), right(word, -8), right(word, -9), right(word, -10)]
        ELSE public.ends_of_long_word(word)
      END;
    END LOOP;
  END IF;
  RETURN array_to_tsvector(keys);
END $$;

-- Nearly every sentence has one id or none. Only where more may be left is each part looked at.
CREATE OR REPLACE FUNCTION log_search_keys(admin text, action text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  names text := ' ' || action || ' ';
  id text := substr(names, strpos(names, '-') - 8, 36);
  codes text := '';
  parts text[];
  matched text;
BEGIN
  IF id LIKE '________-____-____-____-____________' AND length(replace(id, '-', '')) = 32 AND id !~ '[^-0-9a-f]' THEN
    names := replace(names, ' ' || id || ' ', '  ');
    codes := id;
  END IF;
  IF names ~ '-[0-9a-f]{4}-|\d{10}' THEN
    codes := '';
    parts := string_to_array(action, ' ');
    FOR place IN 1 .. cardinality(parts) LOOP
      matched := substring(parts[place] FROM '^\W*([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{10,})(?:\W|$)');
      CONTINUE WHEN matched IS NULL;
      codes := codes || chr(31) || matched;
      parts[place] := replace(parts[place], matched, ' ');
    END LOOP;
    names := ' ' || array_to_string(parts, ' ');
  END IF;
  RETURN public.search_keys(admin || names, codes);
END $$;
