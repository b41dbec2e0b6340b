-- How much a token may send: JSON. While a token is being replaced, its former secret works, too.
ALTER TABLE tokens ADD COLUMN limits TEXT;
ALTER TABLE tokens ADD COLUMN former_hash BLOB;
ALTER TABLE tokens ADD COLUMN former_until INTEGER;
CREATE UNIQUE INDEX tokens_former_hash ON tokens (former_hash);
