-- The next lines of a cursor as one text: a program that reads a million lines one by one leaves a million behind.
CREATE FUNCTION next_lines(lines refcursor, amount integer) RETURNS text LANGUAGE plpgsql AS $$
DECLARE
  line text;
  read text[] := '{}';
BEGIN
  FOR place IN 1..amount LOOP
    FETCH lines INTO line;
    EXIT WHEN NOT FOUND;
    read := read || line;
  END LOOP;
  RETURN array_to_string(read, E'\r\n');
END $$;
