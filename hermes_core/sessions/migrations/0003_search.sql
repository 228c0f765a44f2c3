-- What messages say, folded for searching (search_text.py). The index over it is made where SQLite
-- has FTS5 (search_index.py); everything works without it.
CREATE TABLE texts (
    message INTEGER PRIMARY KEY REFERENCES messages (number) ON DELETE CASCADE,
    text TEXT NOT NULL
);

-- Messages that were there before: those after "done" up to "last" have no text yet.
CREATE TABLE backlog (done INTEGER NOT NULL, last INTEGER NOT NULL);
INSERT INTO backlog SELECT 0, max(number) FROM messages HAVING max(number) IS NOT NULL;

-- What each session used, by model; adds up over restarts. A task other than the chat has its name.
-- The cost is in US dollars; calls whose price is not known are counted as unpriced.
CREATE TABLE usage (
    session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
    task TEXT NOT NULL,
    provider TEXT NOT NULL,
    model TEXT NOT NULL,
    calls INTEGER NOT NULL,
    input INTEGER NOT NULL,
    output INTEGER NOT NULL,
    cached INTEGER NOT NULL,
    reasoning INTEGER NOT NULL,
    cost REAL NOT NULL,
    unpriced INTEGER NOT NULL,
    PRIMARY KEY (session, task, provider, model)
) WITHOUT ROWID;

-- Who gave the title: the prompt, a model, or a person, whose title nobody replaces.
ALTER TABLE sessions ADD COLUMN titled TEXT NOT NULL DEFAULT 'prompt'
    CHECK (titled IN ('prompt', 'model', 'person'));

-- 1 if its messages came from a file: nothing in them is the word of this user.
ALTER TABLE sessions ADD COLUMN imported INTEGER NOT NULL DEFAULT 0;
