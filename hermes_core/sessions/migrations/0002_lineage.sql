-- Where a session came from. A history is never rewritten: what takes its place is a session of
-- its own, a child, whose parent stays as it was.

-- The session that this one came from, and how: its history was shortened, one of its tasks was
-- given to a child, a copy of it goes its own way, or it went back to an earlier message.
ALTER TABLE sessions ADD COLUMN parent INTEGER REFERENCES sessions (number) ON DELETE SET NULL;
ALTER TABLE sessions ADD COLUMN relation TEXT
    CHECK (relation IN ('compressed', 'delegated', 'forked', 'rewound'));

-- The session that people know this one by and with which it is deleted; such a child is in no
-- list. None for a session that stands for itself, a forked one too.
ALTER TABLE sessions ADD COLUMN owner INTEGER REFERENCES sessions (number) ON DELETE CASCADE;

-- The child that holds what the model is sent now; none: the session itself. The display log
-- stays with the session.
ALTER TABLE sessions ADD COLUMN tip INTEGER REFERENCES sessions (number) ON DELETE SET NULL;

-- What makes shortening wait after it failed: failures in a row, and until when (Unix seconds).
ALTER TABLE sessions ADD COLUMN compression_failures INTEGER NOT NULL DEFAULT 0;
ALTER TABLE sessions ADD COLUMN compression_rest REAL NOT NULL DEFAULT 0;

-- 1 for a message that a child took over from its parent: it stands in both.
ALTER TABLE messages ADD COLUMN carried INTEGER NOT NULL DEFAULT 0;

CREATE INDEX sessions_by_owner ON sessions (owner) WHERE owner IS NOT NULL;
CREATE INDEX sessions_by_parent ON sessions (parent) WHERE parent IS NOT NULL;
CREATE INDEX sessions_by_tip ON sessions (tip) WHERE tip IS NOT NULL;
