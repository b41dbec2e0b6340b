-- What a user prefers in the console: an object of JSON that the server does not read.
CREATE TABLE preferences (
    user_id INTEGER PRIMARY KEY REFERENCES users (id) ON DELETE CASCADE,
    body    TEXT NOT NULL
) STRICT;
