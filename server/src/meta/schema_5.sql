-- Where a user comes from: NULL if Logstead itself keeps the password, else `oidc:ID` or `ldap:ID` of a provider in the
-- settings, and the subject is what the provider calls this person for ever.
ALTER TABLE users ADD COLUMN origin TEXT;
ALTER TABLE users ADD COLUMN subject TEXT;
-- Since when nobody can log in as this user.
ALTER TABLE users ADD COLUMN disabled_at INTEGER;
CREATE UNIQUE INDEX users_of_origins ON users (origin, subject) WHERE origin IS NOT NULL;

-- What a user sees in the list of sessions. NULL in those that began before.
ALTER TABLE sessions ADD COLUMN seen_at INTEGER;
ALTER TABLE sessions ADD COLUMN address TEXT;
ALTER TABLE sessions ADD COLUMN browser TEXT;
CREATE INDEX sessions_of_users ON sessions (user_id, expires_at);

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

-- How much a token may send: JSON. While a token is being replaced, its former secret works, too.
ALTER TABLE tokens ADD COLUMN limits TEXT;
ALTER TABLE tokens ADD COLUMN former_hash BLOB;
ALTER TABLE tokens ADD COLUMN former_until INTEGER;
CREATE UNIQUE INDEX tokens_former_hash ON tokens (former_hash);
