-- SPDX-License-Identifier: GPL-3.0-or-later
-- Spreads the events over a thousand accounts: one of 1,000 stays with $account, one of
-- 50 goes to $other, the rest to other accounts.  sqlite3 reads this file.

PRAGMA journal_mode = OFF;
PRAGMA synchronous = OFF;
PRAGMA cache_size = -400000;

CREATE TEMP TABLE day AS SELECT min(created_us) AS first FROM events;

BEGIN;
INSERT INTO accounts (id, name, status, created_us)
WITH RECURSIVE c (n) AS (SELECT 0 UNION ALL SELECT n + 1 FROM c WHERE n < 999)
SELECT 'spread-' || n, 'spread', 'active', n FROM c;

-- Row n was made 1.000003 s after row n - 1; see fill.sql.
CREATE TEMP TABLE owner AS
SELECT created_us AS at, (created_us - first) / 1000003 + 1 AS n FROM events, day;
UPDATE events SET account = CASE WHEN n % 1000 = 0 THEN $account
	WHEN n % 50 = 1 THEN $other ELSE 'spread-' || (n % 1000) END
FROM owner WHERE owner.at = events.created_us;
UPDATE event_texts SET account = e.account || substr(1000 + (e.seq >> 14) % 1000, -3)
FROM events e WHERE e.seq = event_texts.rowid;
COMMIT;
