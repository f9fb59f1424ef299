-- SPDX-License-Identifier: GPL-3.0-or-later
-- Short codes of digits that lead to events.
ALTER TABLE events ADD COLUMN join_code TEXT; -- its code; NULL: it ended 30 days ago
CREATE TABLE join_codes (
	code    TEXT    PRIMARY KEY,                 -- six or more digits
	event   TEXT,                                -- its event; NULL: it was deleted
	free_us INTEGER NOT NULL                     -- from this time another event may get the code
) STRICT, WITHOUT ROWID;
CREATE UNIQUE INDEX join_codes_event ON join_codes (event);
CREATE INDEX join_codes_free ON join_codes (free_us);
CREATE INDEX join_codes_digits ON join_codes (length(code));
-- Events of before, the last to end first: the prime 7919 shares no factor with 900,000, so
-- no two rows get the same code.  The janitor frees codes of events that ended long ago.
INSERT INTO join_codes (code, event, free_us) SELECT CAST(100000 + (nth * 7919) % 900000 AS TEXT), id, end_us + 2592000000000 FROM (SELECT id, end_us, row_number() OVER (ORDER BY end_us DESC, id) AS nth FROM events) numbered WHERE nth <= 90000;
UPDATE events SET join_code = (SELECT code FROM join_codes WHERE event = events.id);
