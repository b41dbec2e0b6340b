-- Times are nanoseconds since 1970 in UTC.
CREATE TABLE users (
    name          TEXT PRIMARY KEY COLLATE NOCASE,
    role          TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    created_at    INTEGER NOT NULL
) STRICT;

CREATE TABLE sessions (
    hash       BLOB PRIMARY KEY,
    user       TEXT NOT NULL REFERENCES users (name) ON DELETE CASCADE,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;

CREATE TABLE tokens (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    name       TEXT NOT NULL,
    role       TEXT NOT NULL,
    hash       BLOB NOT NULL UNIQUE,
    created_by TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    last_used  INTEGER
) STRICT;

CREATE TABLE revisions (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    toml       TEXT NOT NULL,
    author     TEXT NOT NULL,
    comment    TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE audit (
    id     INTEGER PRIMARY KEY AUTOINCREMENT,
    time   INTEGER NOT NULL,
    user   TEXT NOT NULL,
    action TEXT NOT NULL,
    detail TEXT NOT NULL
) STRICT;
