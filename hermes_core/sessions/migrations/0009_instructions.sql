-- What the opener of a session says of the work in it: how, and the text (JSON); null: nothing.
ALTER TABLE sessions ADD COLUMN instructions TEXT NOT NULL DEFAULT 'null';
