-- The same keys with less work: what a search finds a row by is computed for every order and every entry of the log.

-- All ends of a word at once, by `right`, which reads only what it leaves out: by `substr` and one by one they took
-- half as long again.
CREATE OR REPLACE FUNCTION search_keys(names text, codes text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  -- Longer ones are compared in the row itself.
  longest CONSTANT int := 12;
  separators CONSTANT text := '[\x01-\x1f\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7f]';
  keys text[] := '{}';
  word text;
BEGIN
  IF names <> '' THEN
    FOREACH word IN ARRAY string_to_array(regexp_replace(replace(lower(names), 'ς', 'σ'), separators, ' ', 'g'), ' ') LOOP
      WHILE length(word) > longest LOOP
        keys := keys || left(word, longest);
        word := right(word, -1);
      END LOOP;
      keys := keys || CASE length(word)
        WHEN 0 THEN '{}'
        WHEN 1 THEN '{}'
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
        ELSE ARRAY[word, right(word, -1), right(word, -2), right(word, -3), right(word, -4), right(word, -5),
          right(word, -6), right(word, -7), right(word, -8), right(word, -9), right(word, -10)]
      END;
    END LOOP;
  END IF;
  FOREACH word IN ARRAY string_to_array(replace(replace(lower(codes), '-', ''), ' ', ''), chr(31)) LOOP
    CONTINUE WHEN word = '';
    keys := keys || ARRAY['=' || left(word, longest), '~' || reverse(right(word, longest))];
  END LOOP;
  RETURN array_to_tsvector(keys);
END $$;

-- The regular expression is asked only about what may be a code: an id alone is known by its form, and what is
-- shorter than an id needs ten digits.
CREATE OR REPLACE FUNCTION log_search_keys(admin text, action text) RETURNS tsvector LANGUAGE plpgsql IMMUTABLE PARALLEL SAFE AS $$
DECLARE
  code CONSTANT text := '^\W*([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}|\d{10,})(?:\W|$)';
  parts text[] := string_to_array(action, ' ');
  codes text := '';
  part text;
  matched text;
BEGIN
  FOR place IN 1 .. cardinality(parts) LOOP
    part := parts[place];
    CONTINUE WHEN length(part) < 10;
    matched := CASE
      WHEN part LIKE '________-____-____-____-____________' AND translate(part, '0123456789abcdef', '') = '----' THEN part
      -- Digits of any script, of which one takes more than a byte.
      WHEN length(part) > 35 OR length(translate(part, '0123456789', '')) <= length(part) - 10
        OR octet_length(part) > length(part) THEN substring(part FROM code)
    END;
    CONTINUE WHEN matched IS NULL;
    codes := codes || chr(31) || matched;
    parts[place] := replace(part, matched, ' ');
  END LOOP;
  RETURN public.search_keys(admin || ' ' || array_to_string(parts, ' '), codes);
END $$;
