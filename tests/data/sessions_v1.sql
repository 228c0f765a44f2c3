-- A session store as version 1 wrote it, to be migrated by tests.
BEGIN TRANSACTION;
CREATE TABLE messages (
    number INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
    at REAL NOT NULL,
    role TEXT NOT NULL,
    message TEXT NOT NULL
);
INSERT INTO "messages" VALUES(1,1,1764500050.0,'user','{"role":"user","content":"Fix the parser of the frobnicator"}');
INSERT INTO "messages" VALUES(2,1,1764500050.0,'assistant','{"role":"assistant","content":"","tool_calls":[{"id":"c1","type":"function","function":{"name":"read_file","arguments":"{\"path\":\"parser.py\"}"}}],"finish_reason":"tool_calls"}');
INSERT INTO "messages" VALUES(3,1,1764500050.0,'tool','{"role":"tool","tool_call_id":"c1","name":"read_file","content":"1|def parse(text):\n2|    return quuxify(text)"}');
INSERT INTO "messages" VALUES(4,1,1764500050.0,'assistant','{"role":"assistant","content":"The parser is fixed.","finish_reason":"stop"}');
INSERT INTO "messages" VALUES(5,2,1764500050.0,'user','{"role":"user","content":[{"type":"text","text":"\u65e5\u672c\u8a9e\u306e\u691c\u7d22\u304c\u52d5\u304b\u306a\u3044 \ud800"}]}');
INSERT INTO "messages" VALUES(6,2,1764500050.0,'assistant','{"role":"assistant","content":"\u76f4\u3057\u307e\u3057\u305f\u3002","finish_reason":"stop"}');
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
INSERT INTO "sessions" VALUES(1,'11111111-aaaa-4000-8000-000000000001','"/w/project"','[]','"Fix the parser"','"accept_edits"','null','null','"You are Hermes."',1764500001.0,1764500101.0,1,1);
INSERT INTO "sessions" VALUES(2,'22222222-bbbb-4000-8000-000000000002','"/w/project"','[]','"\u691c\u7d22\u3092\u76f4\u3059"','"accept_edits"','null','null','"You are Hermes."',1764500002.0,1764500102.0,1,2);
CREATE TABLE shown (
    number INTEGER PRIMARY KEY,
    session INTEGER NOT NULL REFERENCES sessions (number) ON DELETE CASCADE,
    at REAL NOT NULL,
    event TEXT NOT NULL
);
INSERT INTO "shown" VALUES(1,1,1764500050.0,'{"event":"UserPrompted","text":"Fix the parser of the frobnicator","message_id":"m1"}');
INSERT INTO "shown" VALUES(2,1,1764500050.0,'{"event":"TextDelta","text":"The parser is fixed.","message_id":"m2"}');
INSERT INTO "shown" VALUES(3,1,1764500050.0,'{"event":"UsageUpdated","used":1200,"size":128000,"cost":0.25}');
INSERT INTO "shown" VALUES(4,2,1764500050.0,'{"event":"UserPrompted","text":"\u65e5\u672c\u8a9e\u306e\u691c\u7d22\u304c\u52d5\u304b\u306a\u3044","message_id":"m3"}');
CREATE INDEX sessions_by_touch ON sessions (touched);
CREATE INDEX messages_by_session ON messages (session);
CREATE INDEX shown_by_session ON shown (session);
COMMIT;
PRAGMA user_version = 1;
