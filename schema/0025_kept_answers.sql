-- SPDX-License-Identifier: GPL-3.0-or-later
-- An answer stored for its Idempotency-Key belongs to the credential of the request and is
-- encrypted.  Older answers contained secrets in clear text and were stored for a day.
DROP TABLE answers;
CREATE TABLE answers (
	account    TEXT    NOT NULL,                 -- owner of the request
	owner      TEXT    NOT NULL,                 -- SHA-256 of the credential and its scopes
	route      TEXT    NOT NULL,                 -- method and path
	key        TEXT    NOT NULL,                 -- as the client chose it
	body_hash  TEXT    NOT NULL,                 -- SHA-256 of the request's body
	status     INTEGER NOT NULL,                 -- of the answer
	head       TEXT    NOT NULL,                 -- header lines
	body       TEXT    NOT NULL,                 -- body, encrypted with a key from the key file
	expires_us INTEGER NOT NULL,                 -- when the answer is deleted
	PRIMARY KEY (account, owner, route, key)
) STRICT;
CREATE INDEX answers_expiry ON answers (expires_us);
