-- Sessions from before confirm once more.
ALTER TABLE sessions ADD COLUMN confirmed_in text NOT NULL DEFAULT '';
