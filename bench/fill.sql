-- SPDX-License-Identifier: GPL-3.0-or-later
-- Fills a database like that of an organiser of many years: $n events of the account
-- $account, some with channels, and one event that $n listeners have joined; as many
-- voices, glossaries and jobs.  This run adds the rows $from + 1 to $to, oldest first, as
-- at the time $now.  sqlite3 reads this file.
--
-- Words in titles and descriptions for the searches:
--	rareword  in 5 events, however many there are
--	leftword, rightword  in one third each, never both
--	会議      (two letters, no trigram) in one of 50
--	onlyours  in the events of all accounts but those of the searchers (spread.sql)

PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -400000;

CREATE TEMP TABLE words (i INTEGER PRIMARY KEY, word TEXT);
WITH RECURSIVE list (i, word, rest) AS (
	SELECT -1, NULL, trim(replace(replace('
	conference workshop meeting introduction keynote panel discussion morning
	afternoon evening opening closing session language translation interpreter
	speaker audience listener channel stage hall theatre museum library
	university faculty medicine cardiology surgery nursing patient clinic
	hospital pharmacy research science physics chemistry biology mathematics
	statistics computing network software hardware security privacy energy
	climate water forest ocean river mountain agriculture harvest farmer market
	trade finance bank budget insurance tax economy industry factory steel
	textile fashion design architecture building bridge railway traffic bicycle
	aviation airport harbour shipping logistics law court justice parliament
	election council citizen rights migration refugee border peace treaty history
	archive archaeology painting sculpture photography cinema film festival music
	orchestra choir concert opera dance poetry novel literature author reader
	publisher journal newspaper radio television podcast internet education
	school teacher student childhood youth family parent elder disability
	inclusion equality gender religion church mosque temple synagogue ethics
	philosophy psychology memory dream sleep health nutrition cooking bread
	cheese coffee wine garden flower animal bird fish horse insect planet star
	galaxy satellite rocket robot sensor battery solar wind nuclear hydrogen
	carbon mineral copper diamond glass paper printing ceramics wood furniture
	house city village region country continent island desert winter spring
	summer autumn weather storm flood fire rescue police volunteer charity
	foundation association union strike worker salary pension career training
	apprentice certificate award medal championship football tennis swimming
	running skating chess theory practice method experiment measurement result
	evidence review report summary question answer interview portrait debate
	lecture seminar course tutorial exercise exam diploma graduation alumni
	reunion anniversary celebration dinner reception exhibition fair product
	service customer brand advertising campaign strategy innovation startup
	investor patent licence standard quality safety inspection maintenance repair
	recycling waste plastic packaging transport delivery warehouse supplier
	contract partner alliance europe africa asia america pacific atlantic baltic
	mediterranean alpine nordic future present past tomorrow today tonight
	welcome farewell together between within beyond across through during after
	before about under above inside outside towards against despite because
	although first second third annual monthly weekly daily international
	national regional local global public private open closed free digital
	virtual hybrid remote live recorded simultaneous consecutive bilingual
	multilingual spoken written
	', char(10), ' '), char(9), '')) || ' '
	UNION ALL
	SELECT i + 1, substr(rest, 1, instr(rest, ' ') - 1), substr(rest, instr(rest, ' ') + 1)
	FROM list WHERE rest <> '')
INSERT INTO words SELECT i, word FROM list WHERE i >= 0;

-- Some words are frequent, most are not, because a word is chosen by the product of two
-- numbers from 0 to 1.  "c.n > 0" below makes SQLite choose new words for each row.
CREATE TEMP TABLE slots (slot INTEGER PRIMARY KEY);
INSERT INTO slots VALUES (1), (2), (3), (4), (5), (6), (7), (8), (9), (10), (11), (12),
	(13);
CREATE TEMP TABLE lot AS SELECT count(*) AS words FROM words;

CREATE TEMP TABLE day AS SELECT 86400000000 AS us, $now AS now;

BEGIN;

-- The newest tenth has not begun: of each four of these events one is live, two are ready,
-- one has no channel yet.  All other events are over.
CREATE TEMP TABLE new (
	n INTEGER PRIMARY KEY, created_us INTEGER, id TEXT, title TEXT, description TEXT,
	open INTEGER, active INTEGER, ready INTEGER);
WITH RECURSIVE c (n) AS (
	SELECT $from + 1 UNION ALL SELECT n + 1 FROM c WHERE n < $to)
INSERT INTO new SELECT n, now - us - ($n - n) * 1000003,
	lower(printf('%s-%s-4%s-a%s-%s', hex(randomblob(4)), hex(randomblob(2)),
		substr(hex(randomblob(2)), 2), substr(hex(randomblob(2)), 2), hex(randomblob(6)))),
	(SELECT group_concat(word, ' ') FROM slots CROSS JOIN words ON i = abs(random() % 1000)
		* abs(random() % 1000) * lot.words / 1000000 WHERE slot <= 5 AND c.n > 0),
	(SELECT group_concat(word, ' ') FROM slots CROSS JOIN words ON i = abs(random() % 1000)
		* abs(random() % 1000) * lot.words / 1000000 WHERE c.n > 0)
		|| CASE n % 3 WHEN 0 THEN ' leftword' WHEN 1 THEN ' rightword' ELSE '' END
		|| CASE WHEN n % 50 = 0 THEN ' 国際会議' ELSE '' END
		|| CASE WHEN n % ($n / 5) = 10 THEN ' rareword' ELSE '' END
		|| CASE WHEN n % 1000 = 0 OR n % 50 = 1 THEN '' ELSE ' onlyours' END,
	n > $n - $n / 10, n > $n - $n / 10 AND n % 4 = 0,
	n > $n - $n / 10 AND n % 4 <> 2
FROM c, day, lot;

INSERT INTO events (seq, created_us, id, account, updated_us, title, description, type, timezone,
	start_us, end_us, recurring, languages, listener_mode, room_suffix, agenda,
	channels_ready, channels_active, finished_us)
SELECT n, created_us, id, $account, created_us, upper(substr(title, 1, 1)) || substr(title, 2),
	description, 'online', 'Europe/Berlin',
	CASE WHEN open THEN now + us ELSE created_us - us / 2 END,
	CASE WHEN open THEN now + us * 2 ELSE created_us - us / 4 END,
	0, '["en","es"]', 'approval', lower(substr(id, 1, 8)), '[]', ready, active,
	CASE WHEN open THEN NULL ELSE created_us - us / 4 END
FROM new, day ORDER BY n;

INSERT INTO event_texts (rowid, folded, account)
SELECT n, title || char(10) || description, $account FROM new ORDER BY n;

INSERT INTO event_stats (event, noticed_us, final, final_us, csv)
SELECT id, CASE WHEN open THEN NULL ELSE created_us END,
	CASE WHEN open THEN NULL ELSE '{}' END, CASE WHEN open THEN NULL ELSE created_us END,
	CASE WHEN open THEN NULL ELSE 'language,participants' || char(13, 10) END
FROM new ORDER BY id;

INSERT INTO stages (id, event, position, name, created_us, updated_us)
SELECT substr(id, 1, 24) || lower(hex(randomblob(6))), id, s.position, s.name, created_us,
	created_us
FROM new, (SELECT 0 AS position, 'Main stage' AS name UNION ALL SELECT 1, 'Side room') s
WHERE s.position <= n % 2 ORDER BY 1;

INSERT INTO channels (id, account, created_us, updated_us, type, event, stage, room_suffix,
	lifecycle, runtime, held, broadcast, name, input_type, source_language,
	target_languages, region, ignore_video, original_delay_s, original_volume, outputs)
SELECT substr(n.id, 1, 23) || '-' || lower(hex(randomblob(6))), $account, n.created_us,
	n.created_us, 'event', n.id, s.id, substr(n.id, 1, 8), 'ready',
	CASE WHEN active THEN 'active' ELSE 'pending' END, 1, 'room-' || substr(n.id, 1, 8),
	'Main', 'webrtc_push', 'en', '["es","de"]', 'local', 0, 0, 0, '[]'
FROM new n JOIN stages s ON s.event = n.id AND s.position = 0 WHERE n.ready;

INSERT INTO voices (id, account, created_us, updated_us, name, description, folded, status,
	gender, age_group, mood, lang, hidden, denoise, normalise)
SELECT id, $account, created_us, created_us, substr(title, 1, 30), description,
	title || char(10) || description, 'ready', 'Female', 'Young', 'Calm', 'en', 0, 0, 1
FROM new ORDER BY n;

INSERT INTO glossaries (id, account, created_us, updated_us, name, enabled, type, source_lang,
	target_lang)
SELECT id, $account, created_us, created_us, substr(title, 1, 30), 1, 'translation', 'en', 'es'
FROM new ORDER BY n;

INSERT INTO jobs (id, kind, account, ref, state, due_us, tries, error, created_us)
SELECT id, CASE n % 2 WHEN 0 THEN 'bench.lease' ELSE 'bench.other' END, $account, id,
	CASE WHEN n % 4 < 2 THEN 'dead' ELSE 'ready' END, now + us, 1, 'as many before', now
FROM new, day ORDER BY id;

-- $n people have listened to the newest event, which is live.
CREATE TEMP TABLE crowd AS SELECT id FROM new WHERE n = $n;
CREATE TEMP TABLE tongue (i INTEGER PRIMARY KEY, code TEXT);
INSERT INTO tongue VALUES (0, 'original'), (1, 'es'), (2, 'de'), (3, 'fr'), (4, 'it'),
	(5, 'pl'), (6, 'pt'), (7, 'ru'), (8, 'uk'), (9, 'tr'), (10, 'ja'), (11, 'ko');
WITH RECURSIVE c (n) AS (SELECT 1 UNION ALL SELECT n + 1 FROM c WHERE n < $n)
INSERT INTO joins (event, listener, language) SELECT e.id, lower(printf('%s-%s-4%s-a%s-%s', hex(randomblob(4)),
		hex(randomblob(2)), substr(hex(randomblob(2)), 2), substr(hex(randomblob(2)), 2),
		hex(randomblob(6)))), code
FROM crowd e, c JOIN tongue ON i = n % 12 ORDER BY 1, 2;
INSERT INTO heard SELECT event, language, count(*) FROM joins GROUP BY event, language;
UPDATE event_stats SET participants = $n,
	csv = 'language,participants' || char(13, 10) || (SELECT group_concat(line, '') FROM (
		SELECT language || ',' || participants || char(13, 10) AS line FROM heard
		WHERE event = (SELECT id FROM crowd) ORDER BY participants DESC, language))
WHERE event = (SELECT id FROM crowd);

COMMIT;
