-- SPDX-License-Identifier: GPL-3.0-or-later
-- The audit: changes that people made to an account, kept for 90 days.
CREATE TABLE audit (
	at_us       INTEGER NOT NULL, -- when the change was made
	id          TEXT    NOT NULL, -- distinguishes changes of one time
	account     TEXT    NOT NULL REFERENCES accounts (id), -- account that was changed
	member      TEXT,             -- person who made it; NULL: made with a key
	member_name TEXT,             -- name of the person at that time
	key         TEXT,             -- key that it was made with; NULL: a person signed in
	key_name    TEXT,             -- name of the key at that time
	action      TEXT    NOT NULL, -- create, update, delete, or the last part of the route
	kind        TEXT    NOT NULL, -- kind of the record: event, channel, ...
	subject     TEXT,             -- id of the record; NULL: of several
	summary     TEXT,             -- name of the record, and the members sent
	PRIMARY KEY (at_us, id)
) STRICT;
CREATE INDEX audit_list ON audit (account, at_us, id);
