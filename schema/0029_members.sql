-- SPDX-License-Identifier: GPL-3.0-or-later
-- People of an account, and the browsers that they have signed in.
-- Lines that begin with "--pg" are for PostgreSQL only, lines that end with "-- sqlite"
-- for SQLite only.

CREATE TABLE members (
	id         TEXT    PRIMARY KEY,              -- member_id of the API
	account    TEXT    NOT NULL REFERENCES accounts (id), -- account of the person
	created_us INTEGER NOT NULL,                 -- when it was made
	name       TEXT    NOT NULL,                 -- name of the person
	role       TEXT    NOT NULL,                 -- owner, organiser, desk, viewer
	status     TEXT    NOT NULL                  -- invited, active
) STRICT;
CREATE INDEX members_list ON members (account, created_us, id);

ALTER TABLE credentials ADD COLUMN member TEXT;          -- person who signs in with it; NULL: a key
ALTER TABLE credentials ADD COLUMN browser TEXT;         -- User-Agent of the browser; NULL: not signed in
ALTER TABLE credentials ADD COLUMN cookie_hash TEXT;     -- SHA-256 of the browser's cookie; NULL: not remembered
ALTER TABLE credentials ADD COLUMN refresh_hash TEXT;    -- SHA-256 of its current refresh token
ALTER TABLE credentials ADD COLUMN former_hash TEXT;     -- SHA-256 of the refresh token before
ALTER TABLE credentials ADD COLUMN refreshed_us INTEGER; -- when the refresh token was renewed
CREATE INDEX credentials_member ON credentials (member) WHERE member IS NOT NULL;

-- Each account gets an owner.
INSERT INTO members (id, account, created_us, name, role, status) SELECT lower(substr(h, 1, 8) || '-' || substr(h, 9, 4) || '-4' || substr(h, 14, 3) || '-a' || substr(h, 18, 3) || '-' || substr(h, 21, 12)), id, created_us, substr(name, 1, 64), 'owner', 'active' FROM (SELECT hex(randomblob(16)) AS h, id, created_us, name FROM accounts); -- sqlite
--pg INSERT INTO members (id, account, created_us, name, role, status) SELECT CAST(gen_random_uuid() AS TEXT), id, created_us, substr(name, 1, 64), 'owner', 'active' FROM accounts;
UPDATE credentials SET member = (SELECT m.id FROM members m WHERE m.account = credentials.account) WHERE kind IN ('link', 'browser');
