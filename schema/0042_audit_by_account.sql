-- SPDX-License-Identifier: GPL-3.0-or-later
-- Serves programs from version 37 on.
-- The audit in the order in which it is read: a line takes one page in place of three.
CREATE TABLE audit_lines (
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
	PRIMARY KEY (account, at_us, id)
) STRICT, WITHOUT ROWID;
INSERT INTO audit_lines (at_us, id, account, member, member_name, key, key_name, action, kind, subject, summary)
	SELECT at_us, id, account, member, member_name, key, key_name, action, kind, subject, summary FROM audit;
DROP TABLE audit;
ALTER TABLE audit_lines RENAME TO audit;
