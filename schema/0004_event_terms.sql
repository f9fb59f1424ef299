-- SPDX-License-Identifier: GPL-3.0-or-later
-- An index for the search in events that separates accounts, so that words in events of
-- other accounts cost nothing.

-- SQLite: FTS5 stored the text and found trigrams of all accounts.  Now each term begins
-- with the end of its account's id; see lib/base/grams.h.
ALTER TABLE event_texts RENAME TO event_texts_3; -- sqlite
CREATE TABLE event_texts ( -- sqlite
	rowid   INTEGER PRIMARY KEY, -- seq of the event -- sqlite
	folded  TEXT    NOT NULL, -- its title, LF, its description -- sqlite
	account TEXT    NOT NULL -- its organiser -- sqlite
) STRICT; -- sqlite
INSERT INTO event_texts SELECT t.rowid, t.folded, e.account FROM event_texts_3 t CROSS JOIN events e ON e.seq = t.rowid ORDER BY t.rowid; -- sqlite
DROP TABLE event_texts_3; -- sqlite
CREATE VIRTUAL TABLE event_terms USING fts5 (terms, content = '', detail = none, columnsize = 0, tokenize = 'ascii'); -- sqlite
INSERT INTO event_terms (rowid, terms) SELECT rowid, grams(account, folded, 1) FROM event_texts ORDER BY rowid; -- sqlite

-- PostgreSQL: trigrams as before, with the account.
--pg CREATE EXTENSION IF NOT EXISTS btree_gin;
--pg DROP INDEX event_texts_trigrams;
--pg ALTER TABLE event_texts ADD COLUMN account TEXT NOT NULL DEFAULT ''; -- its organiser
--pg UPDATE event_texts SET account = e.account FROM events e WHERE e.seq = event_texts.rowid;
--pg ALTER TABLE event_texts ALTER COLUMN account DROP DEFAULT;
--pg CREATE INDEX event_texts_terms ON event_texts USING gin (account, folded gin_trgm_ops);
--pg ANALYZE event_texts;
