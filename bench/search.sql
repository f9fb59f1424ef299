-- SPDX-License-Identifier: GPL-3.0-or-later
-- Fills a PostgreSQL with :n events for the searches of bench/search: one of 250 belongs to
-- the account "few", the others to "many". :words is the vocabulary; its first words are
-- frequent. psql reads this file.
--
-- Words that the searches ask for:
--	needle    in the oldest event of each account alone
--	halfword  in every second event
--	oldword   in the older half of all events, never in the newer
--	leftword, rightword  in one third each, never both
--	会議      (two letters) in one of 50
--	onlyours  in the events of the account "many" alone

SET synchronous_commit = off;
SET work_mem = '256MB';
SET maintenance_work_mem = '512MB';
SELECT setseed(0.5);

INSERT INTO accounts (id, name, status, created_us)
SELECT id, 'bench', 'active', 1
FROM unnest(ARRAY['00000000-0000-4000-a000-0000000000fe', '00000000-0000-4000-a000-0000000a1101']) id;

CREATE TEMP TABLE words AS SELECT regexp_split_to_array(:'words', '\s+') AS word;
-- "0 * n" makes PostgreSQL choose new words for each row.
CREATE TEMP TABLE made AS
SELECT n, n % 250 = 1 AS few,
	(SELECT string_agg(word[1 + floor(random() * random() * cardinality(word))], ' ')
		FROM words, generate_series(1, 18 + 0 * n))
	|| CASE n % 3 WHEN 0 THEN ' leftword' WHEN 1 THEN ' rightword' ELSE '' END
	|| CASE WHEN n % 4 < 2 THEN ' halfword' ELSE '' END
	|| CASE WHEN n < :n / 2 THEN ' oldword' ELSE '' END
	|| CASE WHEN n % 50 = 0 THEN ' 国際会議' ELSE '' END
	|| CASE WHEN n < 3 THEN ' needle' ELSE '' END
	|| CASE WHEN n % 250 = 1 THEN '' ELSE ' onlyours' END AS text
FROM generate_series(1, :n) n;

INSERT INTO events (seq, created_us, id, account, updated_us, title, description, type,
	start_us, end_us, recurring, languages, listener_mode, room_suffix, agenda)
SELECT n, n, gen_random_uuid(), CASE WHEN few THEN '00000000-0000-4000-a000-0000000000fe'
	ELSE '00000000-0000-4000-a000-0000000a1101' END, n, left(text, 40), substr(text, 41), 'online',
	1900000000000000, 1900000000000001, 0, '[]', 'off', 'x', '[]'
FROM made ORDER BY n;
INSERT INTO event_texts (rowid, folded, account)
SELECT seq, title || E'\n' || description, account FROM events ORDER BY seq;
VACUUM ANALYZE;
