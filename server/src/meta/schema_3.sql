-- What belongs to somebody names an account, which is never given again, and not a name, which may be:
-- `user:7`, `token:3`, `environment` for LOGSTEAD_ADMIN_TOKEN. The names beside them are for people to read.
CREATE TABLE users_3 (
    id            INTEGER PRIMARY KEY AUTOINCREMENT,
    name          TEXT NOT NULL UNIQUE COLLATE NOCASE,
    role          TEXT NOT NULL,
    password_hash TEXT NOT NULL,
    created_at    INTEGER NOT NULL,
    logspaces     TEXT,
    scope         TEXT
) STRICT;
INSERT INTO users_3 (name, role, password_hash, created_at, logspaces, scope)
    SELECT name, role, password_hash, created_at, logspaces, scope FROM users ORDER BY created_at, name;

-- A session has an absolute end now: those that have begun are counted from here on.
CREATE TABLE sessions_3 (
    hash       BLOB PRIMARY KEY,
    user_id    INTEGER NOT NULL REFERENCES users_3 (id) ON DELETE CASCADE,
    began_at   INTEGER NOT NULL,
    expires_at INTEGER NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO sessions_3
    SELECT hash, users_3.id, unixepoch('now') * 1000000000, expires_at
    FROM sessions JOIN users_3 ON users_3.name = sessions.user;

DROP TABLE sessions;
DROP TABLE users;
ALTER TABLE users_3 RENAME TO users;
ALTER TABLE sessions_3 RENAME TO sessions;

-- Browsers in which a user has logged in before: the failures of others do not make them wait.
CREATE TABLE devices (
    hash    BLOB NOT NULL,
    user_id INTEGER NOT NULL REFERENCES users (id) ON DELETE CASCADE,
    seen_at INTEGER NOT NULL,
    PRIMARY KEY (hash, user_id)
) STRICT, WITHOUT ROWID;

ALTER TABLE tokens ADD COLUMN created_by_account TEXT;
UPDATE tokens SET created_by_account = (SELECT 'user:' || id FROM users WHERE name = created_by);

ALTER TABLE audit ADD COLUMN account TEXT;

-- Searches of users who are gone, and of tokens whose name does not say which they were, belong to nobody from now on.
-- Administrators can change and remove those that are shared; the others were seen by their owners alone.
CREATE TABLE saved_searches_3 (
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
INSERT INTO saved_searches_3
    SELECT id,
           coalesce(
               CASE
                   WHEN owner = 'LOGSTEAD_ADMIN_TOKEN' THEN 'environment'
                   WHEN owner LIKE 'token:%' THEN
                       (SELECT 'token:' || min(tokens.id) FROM tokens
                        WHERE 'token:' || tokens.name = owner COLLATE NOCASE HAVING count(*) = 1)
                   ELSE (SELECT 'user:' || users.id FROM users WHERE users.name = owner)
               END,
               'former:' || lower(owner)),
           owner, folder, name, tags, shared, query, from_time, to_time, logspaces, view, created_at, updated_at,
           last_used
    FROM saved_searches;
-- Ids are never given again, also those of searches that were removed before.
DELETE FROM sqlite_sequence WHERE name = 'saved_searches_3';
INSERT INTO sqlite_sequence (name, seq)
    SELECT 'saved_searches_3', seq FROM sqlite_sequence WHERE name = 'saved_searches';
DROP TABLE saved_searches;
ALTER TABLE saved_searches_3 RENAME TO saved_searches;
