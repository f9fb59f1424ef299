-- An answer that is kept for its Idempotency-Key belongs to the credential that asked, and is encrypted.
-- Answers of before had secrets in clear text, and were kept for a day.
DROP TABLE answers;
CREATE TABLE answers (
	account    TEXT    NOT NULL,                 -- kept for an Idempotency-Key
	owner      TEXT    NOT NULL,                 -- SHA-256 of the credential and its scopes
	route      TEXT    NOT NULL,                 -- method and path
	key        TEXT    NOT NULL,                 -- as the client chose it
	body_hash  TEXT    NOT NULL,                 -- SHA-256 of the request's body
	status     INTEGER NOT NULL,                 -- of the answer
	head       TEXT    NOT NULL,                 -- header lines
	body       TEXT    NOT NULL,                 -- as it was sent, encrypted by the key file
	expires_us INTEGER NOT NULL,                 -- then it is forgotten
	PRIMARY KEY (account, owner, route, key)
) STRICT;
CREATE INDEX answers_expiry ON answers (expires_us);
