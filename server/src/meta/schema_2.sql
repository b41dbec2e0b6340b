-- What an analyst may search: a JSON array of ids of logspaces, and a filter. NULL: everything.
ALTER TABLE users ADD COLUMN logspaces TEXT;
ALTER TABLE users ADD COLUMN scope TEXT;
ALTER TABLE tokens ADD COLUMN logspaces TEXT;
ALTER TABLE tokens ADD COLUMN scope TEXT;

-- The owner is a user, or `token:` and the name of a token, so it is no reference. Lists and views are JSON.
CREATE TABLE saved_searches (
    id         INTEGER PRIMARY KEY AUTOINCREMENT,
    owner      TEXT NOT NULL COLLATE NOCASE,
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
    UNIQUE (owner, folder, name)
) STRICT;
