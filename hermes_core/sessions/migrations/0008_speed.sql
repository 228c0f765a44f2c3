-- How fast a session has its model served (JSON); null: as the configuration says.
ALTER TABLE sessions ADD COLUMN speed TEXT NOT NULL DEFAULT 'null';
