-- SPDX-License-Identifier: GPL-3.0-or-later
-- Several nodes write at the same time.
-- Lines that begin with "--pg" are for PostgreSQL only, lines that end with "-- sqlite"
-- for SQLite only.

-- Numbers of events; in SQLite one writer at a time takes the next one.
--pg CREATE SEQUENCE event_seq;
--pg SELECT setval('event_seq', coalesce((SELECT max(seq) FROM events), 0) + 1, false);

-- A join is one statement, which this counts. Programs of version 34 count by themselves.
ALTER TABLE joins ADD COLUMN at_us INTEGER;          -- time of the join; NULL: written by version 34
CREATE TRIGGER joins_count AFTER INSERT ON joins WHEN NEW.at_us IS NOT NULL BEGIN -- sqlite
	UPDATE event_stats SET participants = participants + NOT EXISTS (SELECT 1 FROM joins WHERE event = NEW.event AND listener = NEW.listener AND language <> NEW.language), active_us = max(coalesce(active_us, 0), NEW.at_us), changed_us = coalesce(changed_us, NEW.at_us) WHERE event = NEW.event; -- sqlite
	INSERT INTO heard (event, language, participants) VALUES (NEW.event, NEW.language, 1) ON CONFLICT (event, language) DO UPDATE SET participants = participants + 1; -- sqlite
END; -- sqlite
--pg CREATE FUNCTION joins_count() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN
--pg 	UPDATE event_stats SET participants = participants + CASE WHEN EXISTS (SELECT 1 FROM joins WHERE event = NEW.event AND listener = NEW.listener AND language <> NEW.language) THEN 0 ELSE 1 END, active_us = greatest(active_us, NEW.at_us), changed_us = coalesce(changed_us, NEW.at_us) WHERE event = NEW.event;
--pg 	INSERT INTO heard (event, language, participants) VALUES (NEW.event, NEW.language, 1) ON CONFLICT (event, language) DO UPDATE SET participants = heard.participants + 1;
--pg 	RETURN NULL;
--pg END $$;
--pg CREATE TRIGGER joins_count AFTER INSERT ON joins FOR EACH ROW WHEN (NEW.at_us IS NOT NULL) EXECUTE FUNCTION joins_count();
