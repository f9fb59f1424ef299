-- SPDX-License-Identifier: GPL-3.0-or-later
-- Usage by the hour: sums of the ledger's entries, updated with each entry.  Older entries
-- have no seconds and no code points.
CREATE TABLE usage_hours (
	account    TEXT    NOT NULL REFERENCES accounts (id), -- account that pays
	hour_us    INTEGER NOT NULL,                 -- start of the hour of booking
	kind       TEXT    NOT NULL,                 -- s2s, captions, stt, broadcast, tts; other
	event      TEXT    NOT NULL,                 -- id; '': none
	channel    TEXT    NOT NULL,                 -- id; '': none
	seconds    INTEGER NOT NULL,                 -- seconds begun and paid
	characters INTEGER NOT NULL,                 -- code points spoken
	used_micro INTEGER NOT NULL,                 -- credits x 1,000,000
	PRIMARY KEY (account, hour_us, kind, event, channel)
) STRICT;
INSERT INTO usage_hours (account, hour_us, kind, event, channel, seconds, characters, used_micro) SELECT account, hour_us, kind, event, channel, 0, 0, sum(used) FROM (SELECT account, created_us - created_us % 3600000000 AS hour_us, CASE WHEN reference LIKE 's2s:%' THEN 's2s' WHEN reference LIKE 'stt:%' THEN 'stt' WHEN reference LIKE 'tts:%' THEN 'tts' WHEN reference LIKE 'broadcast:%' THEN 'broadcast' ELSE 'other' END AS kind, coalesce(event, '') AS event, CASE WHEN reference LIKE 'broadcast:%' THEN substr(reference, 11, 36) ELSE '' END AS channel, -amount_micro AS used FROM ledger WHERE kind = 'usage') AS old GROUP BY account, hour_us, kind, event, channel;
