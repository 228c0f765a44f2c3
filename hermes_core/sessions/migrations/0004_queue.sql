-- Messages of the user that wait for their turn, in order. A row goes in the transaction that puts
-- its message into the history, so that none is lost and none comes twice; no number is used again.

CREATE TABLE queue (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
    at REAL NOT NULL,
    steer INTEGER NOT NULL DEFAULT 0,  -- 1: meant for the turn that ran when it came
    content TEXT NOT NULL
);

CREATE INDEX queue_by_session ON queue (session);
