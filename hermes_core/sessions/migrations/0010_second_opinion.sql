-- Whether a model looks at what would run unasked in this session (JSON); null: as configured.
ALTER TABLE sessions ADD COLUMN second_opinion TEXT NOT NULL DEFAULT 'null';
