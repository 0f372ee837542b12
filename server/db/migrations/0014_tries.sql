-- Whether a try took one of those that a guesser has before pauses begin. In a pause it does not.
ALTER TABLE sign_in_tries ADD COLUMN counted boolean NOT NULL DEFAULT true;
