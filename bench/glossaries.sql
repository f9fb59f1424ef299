-- SPDX-License-Identifier: GPL-3.0-or-later
-- Adds only glossaries, for sizes at which fill.sql would take hours: rows $from + 1 to $to
-- of $n, of the account $account.  sqlite3 reads this file.

PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -400000;

BEGIN;
WITH RECURSIVE c (n) AS (SELECT $from + 1 UNION ALL SELECT n + 1 FROM c WHERE n < $to)
INSERT INTO glossaries (id, account, created_us, updated_us, name, enabled, type, source_lang,
	target_lang)
SELECT printf('%08x-0000-4000-a000-%012x', n, n), $account, $now - ($n - n) * 1003,
	$now - ($n - n) * 1003, 'Terms of conference ' || n, 1, 'translation', 'en', 'es'
FROM c;
COMMIT;
