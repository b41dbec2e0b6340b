-- Times are nanoseconds since 1970 in UTC. Lists, limits, views and preferences are JSON.
--
-- What belongs to somebody names an account, which is never given again, and not a name, which may be: `user:7`, `token:3`,
-- `environment` for LOGSTEAD_ADMIN_TOKEN. The names beside them are for people to read.

-- `origin` is NULL if Logstead itself keeps the password, else `oidc:ID` or `ldap:ID` of a provider in the settings, and
-- `subject` is what the provider calls this person for ever. `logspaces` and `scope` limit what an analyst may search; NULL:
-- everything. Nobody can log in as the user since `disabled_at`.
CREATE TABLE users (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    name          TEXT NOT NULL UNIQUE COLLATE NOCASE,
    role          TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    logspaces     TEXT,
    scope         TEXT,
    origin        TEXT,
    subject       TEXT,
    disabled_at   INTEGER
) STRICT;
CREATE UNIQUE INDEX users_of_origins ON users (origin, subject) WHERE origin IS NOT NULL;

-- `seen_at`, `address` and `browser` are for the list of sessions.
CREATE TABLE sessions (
    hash       BLOB PRIMARY KEY,
    user_id    INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    began_at   INTEGER NOT NULL,
    expires_at INTEGER NOT NULL,
    seen_at    INTEGER,
    address    TEXT,
    browser    TEXT
) STRICT, WITHOUT ROWID;
CREATE INDEX sessions_of_users ON sessions (user_id, expires_at);

-- Browsers in which a user has logged in before: the failures of others do not make them wait.
CREATE TABLE devices (
    hash    BLOB NOT NULL,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (hash, user_id)
) STRICT, WITHOUT ROWID;

-- Second factors by RFC 6238. The secret is stored as it is, because both sides compute the codes from it. It counts once
-- a code of it was seen (`confirmed_at`); `last_step` is the step of the newest code used, which no code repeats.
CREATE TABLE totp (
    user_id      INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    secret       BLOB NOT NULL,
    begun_at     INTEGER NOT NULL,
    confirmed_at INTEGER,
    last_step    INTEGER NOT NULL
) STRICT;

CREATE TABLE recovery_codes (
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    hash    BLOB NOT NULL,
    PRIMARY KEY (user_id, hash)
) STRICT, WITHOUT ROWID;

-- While a token is being replaced, its former secret works, too.
CREATE TABLE tokens (
    id                 INTEGER PRIMARY KEY AUTOINCREMENT,
    name               TEXT NOT NULL,
    role               TEXT NOT NULL,
    hash               BLOB NOT NULL UNIQUE,
    created_by         TEXT NOT NULL,
    created_at         INTEGER NOT NULL,
    expires_at         INTEGER,
    last_used          INTEGER,
    logspaces          TEXT,
    scope              TEXT,
    created_by_account TEXT,
    limits             TEXT,
    former_hash        BLOB,
    former_until       INTEGER
) STRICT;
CREATE UNIQUE INDEX tokens_former_hash ON tokens (former_hash);

CREATE TABLE revisions (
    number     INTEGER PRIMARY KEY AUTOINCREMENT,
    toml       TEXT NOT NULL,
    author     TEXT NOT NULL,
    comment    TEXT NOT NULL,
    created_at INTEGER NOT NULL
) STRICT;

-- The live revision, while it is taken back unless somebody confirms it in time: at most one row.
CREATE TABLE revision_on_trial (
    only          INTEGER PRIMARY KEY CHECK (only = 1),
    revision      INTEGER NOT NULL,
    back_to       INTEGER NOT NULL,
    until         INTEGER NOT NULL,
    back_if_worse INTEGER NOT NULL
) STRICT;

CREATE TABLE audit (
    id      INTEGER PRIMARY KEY AUTOINCREMENT,
    time    INTEGER NOT NULL,
    user    TEXT NOT NULL,
    action  TEXT NOT NULL,
    detail  TEXT NOT NULL,
    account TEXT
) STRICT;

CREATE TABLE saved_searches (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    account    TEXT NOT NULL,
    owner      TEXT NOT NULL,
    folder     TEXT NOT NULL,
    name       TEXT NOT NULL,
    tags       TEXT NOT NULL,
    shared     INTEGER NOT NULL,
    query      TEXT NOT NULL,
    from_time  TEXT,
    to_time    TEXT,
    logspaces  TEXT,
    view       TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    updated_at INTEGER NOT NULL,
    last_used  INTEGER,
    UNIQUE (account, folder, name)
) STRICT;

-- What a user prefers in the console: an object that the server does not read.
CREATE TABLE preferences (
    user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    body    TEXT NOT NULL
) STRICT;
