-- SPDX-License-Identifier: GPL-3.0-or-later
-- Makes accounts, events and voices of the rows of the table "made", for bench/search.
-- The newest tenth of the events has not begun.  psql and sqlite3 read this file.

INSERT INTO accounts (id, name, status, created_us) SELECT DISTINCT account, 'bench', 'active', 1 FROM made;

INSERT INTO events (seq, created_us, id, account, updated_us, title, description, type,
	start_us, end_us, recurring, languages, listener_mode, room_suffix, agenda, finished_us)
SELECT n, n, 'event-' || n, account, n, title, description, 'online', 1900000000000000,
	1900000000000001, 0, '[]', 'off', 'x', '[]',
	CASE WHEN n <= most * 0.9 THEN 1 END
FROM made CROSS JOIN (SELECT max(n) AS most FROM made) last ORDER BY n;

INSERT INTO event_texts (rowid, folded, account)
SELECT n, title || ' ' || description, account FROM made ORDER BY n;

INSERT INTO voices (id, account, created_us, updated_us, name, description, folded, status,
	gender, age_group, mood, lang, hidden, denoise, normalise)
SELECT 'voice-' || n, account, n, n, title, description, title || ' ' || description, 'ready',
	'Female', 'Young', 'Calm', 'en', 0, 0, 1
FROM made ORDER BY n;
