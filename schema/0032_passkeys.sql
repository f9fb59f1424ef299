-- SPDX-License-Identifier: GPL-3.0-or-later
-- Passkeys, with which members sign in.
CREATE TABLE passkeys (
	id            TEXT    PRIMARY KEY,              -- passkey_id of the API
	account       TEXT    NOT NULL REFERENCES accounts (id), -- account of the member
	member        TEXT    NOT NULL,                 -- person who signs in with it
	created_us    INTEGER NOT NULL,                 -- when it was made
	used_us       INTEGER,                          -- last sign-in with it; NULL: none
	name          TEXT    NOT NULL,                 -- name given by the person
	credential_id TEXT    NOT NULL UNIQUE,          -- its id in the authenticator, base64url
	algorithm     INTEGER NOT NULL,                 -- COSE algorithm: -7, -8, -257
	public_key    TEXT    NOT NULL,                 -- base64url
	sign_count    INTEGER NOT NULL,                 -- the authenticator's counter; 0: it has none
	challenge_us  INTEGER NOT NULL                  -- when its last challenge was made; older ones are used up
) STRICT;
CREATE INDEX passkeys_list ON passkeys (account, member, created_us, id);
