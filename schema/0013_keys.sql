-- SPDX-License-Identifier: GPL-3.0-or-later
-- Keys that expire, the last use of each, and links that sign in a browser once.
-- Further kinds of credentials: "link" becomes "browser" when it is exchanged.
ALTER TABLE credentials ADD COLUMN expires_us INTEGER; -- expiry; NULL: never
ALTER TABLE credentials ADD COLUMN used_us INTEGER;    -- start of the hour of its last use; NULL: never used
DROP INDEX credentials_account;
CREATE INDEX credentials_account ON credentials (account, created_us, id);
CREATE INDEX credentials_revoked ON credentials (revoked_us) WHERE revoked_us IS NOT NULL;
CREATE INDEX credentials_expiry ON credentials (expires_us) WHERE expires_us IS NOT NULL;
