-- Sessions, what their models are sent, and what their editors were shown.
-- Texts of people and models are JSON (ASCII), so that every string survives; times are Unix seconds.

CREATE TABLE sessions (
    number INTEGER PRIMARY KEY,
    id TEXT NOT NULL UNIQUE,
    cwd TEXT NOT NULL,
    additional TEXT NOT NULL,
    title TEXT NOT NULL,
    mode TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    system_prompt TEXT NOT NULL,
    created REAL NOT NULL,
    updated REAL NOT NULL,
    prompted INTEGER NOT NULL DEFAULT 0,  -- 1 once it holds a user's message
    touched INTEGER NOT NULL              -- grows with every change of any session: the order
);

CREATE INDEX sessions_by_touch ON sessions (touched);

-- The history, in order: one message of the OpenAI shape a row.
CREATE TABLE messages (
    number INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
    at REAL NOT NULL,
    role TEXT NOT NULL,
    message TEXT NOT NULL
);

CREATE INDEX messages_by_session ON messages (session);

-- What the editor was shown, in order: one event a row, never changed.
CREATE TABLE shown (
    number INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
    at REAL NOT NULL,
    event TEXT NOT NULL
);

CREATE INDEX shown_by_session ON shown (session);
