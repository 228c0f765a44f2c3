-- Where a session can go back to: one row a turn, from before its prompt.
CREATE TABLE checkpoints (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
    at REAL NOT NULL,
    message_id TEXT NOT NULL,   -- of the prompt, as the editor was shown it
    title TEXT NOT NULL,        -- the beginning of the prompt (JSON)
    history INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
    length INTEGER NOT NULL,    -- messages of that history before the prompt
    undone INTEGER              -- the undoing that took the turn back, while it holds
);

CREATE INDEX checkpoints_by_session ON checkpoints (session);

-- The files of one folder around a turn: ids of trees in the shadow of that folder.
CREATE TABLE snapshots (
    checkpoint INTEGER NOT NULL REFERENCES checkpoints (number) ON DELETE CASCADE,
    root TEXT NOT NULL,         -- JSON
    before TEXT NOT NULL,
    after TEXT,
    PRIMARY KEY (checkpoint, root)
);

-- What an undoing replaced, for as long as it can be done again.
CREATE TABLE undoings (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
    at REAL NOT NULL,
    message_id TEXT NOT NULL,   -- of the first prompt that was taken back
    history INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,  -- that of before
    files TEXT NOT NULL         -- JSON: [root, path, before the undoing, after it] each
);

CREATE INDEX undoings_by_session ON undoings (session);
