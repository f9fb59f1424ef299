-- Keys that expire, when each was used, and links that sign a browser in once.
-- Further kinds of credentials: "link" becomes "browser" when it is exchanged.
ALTER TABLE credentials ADD COLUMN expires_us INTEGER; -- from then on it is void; NULL: it stays good
ALTER TABLE credentials ADD COLUMN used_us INTEGER;    -- beginning of the hour of its last use; NULL: never used
DROP INDEX credentials_account;
CREATE INDEX credentials_account ON credentials (account, created_us, id);
CREATE INDEX credentials_revoked ON credentials (revoked_us) WHERE revoked_us IS NOT NULL;
CREATE INDEX credentials_expiry ON credentials (expires_us) WHERE expires_us IS NOT NULL;
