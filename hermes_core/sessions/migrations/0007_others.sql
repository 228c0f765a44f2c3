-- What others changed while a turn ran, which no undoing puts back: paths of the folder (JSON).
ALTER TABLE snapshots ADD COLUMN others TEXT NOT NULL DEFAULT '{}';
