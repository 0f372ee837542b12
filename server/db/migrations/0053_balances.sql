-- Whether a customer has a balance, for a list of those who do: an index of the balance itself would make every purchase
-- write all indexes of its customer. Kept after the fact, for what computes columns beforehand would compute search keys
-- at every purchase too.
ALTER TABLE customers ADD COLUMN has_balance boolean NOT NULL DEFAULT false;

CREATE FUNCTION keep_has_balance() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
  UPDATE customers SET has_balance = balance_cents > 0 WHERE id = NEW.id;
  RETURN NULL;
END $$;

CREATE TRIGGER keep_has_balance AFTER INSERT OR UPDATE ON customers FOR EACH ROW
  WHEN (NEW.has_balance <> (NEW.balance_cents > 0)) EXECUTE FUNCTION keep_has_balance();
