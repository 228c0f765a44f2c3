-- What a session has chosen beside its model, and whether it is kept out of lists.

-- How much the model is to think (JSON); null: as the configuration says.
ALTER TABLE sessions ADD COLUMN effort TEXT NOT NULL DEFAULT 'null';

-- 1 once the user put it away: it can still be opened, and stands in lists that ask for it.
ALTER TABLE sessions ADD COLUMN archived INTEGER NOT NULL DEFAULT 0;
