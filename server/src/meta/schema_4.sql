-- The live revision, while it is taken back unless somebody confirms it in time: at most one row.
CREATE TABLE revision_on_trial (
    only          INTEGER PRIMARY KEY CHECK (only = 1),
    revision      INTEGER NOT NULL,
    back_to       INTEGER NOT NULL,
    until         INTEGER NOT NULL,
    back_if_worse INTEGER NOT NULL
) STRICT;
