-- SPDX-License-Identifier: GPL-3.0-or-later
-- Serves programs from version 37 on.
-- SQLite: the terms of the search in events get the event's block of 16,384 events.  FTS5
-- walks whole lists: to the first event that has two frequent words, and over the events
-- before the position at which a search goes on.  A term begins with the last twelve
-- characters of its owner, see lib/base/grams.h, so an owner is an account and the last three
-- digits of the block's number.

UPDATE event_texts SET account = account || substr(1000 + (rowid >> 14) % 1000, -3); -- sqlite
INSERT INTO event_terms (event_terms) VALUES ('delete-all'); -- sqlite
INSERT INTO event_terms (rowid, terms) SELECT rowid, grams(account, folded, 1) FROM event_texts ORDER BY rowid; -- sqlite

-- Older programs write the account alone, before the terms.
CREATE TRIGGER event_texts_owner AFTER INSERT ON event_texts BEGIN -- sqlite
	UPDATE event_texts SET account = NEW.account || substr(1000 + (NEW.rowid >> 14) % 1000, -3) WHERE rowid = NEW.rowid; -- sqlite
END; -- sqlite

-- PostgreSQL: as event_candidates(), but it stops after a millisecond.  Then the last row is
-- the seq at which the search goes on, without a text.  whole: the account has few events from
-- "since" on, so one query finds them all.
--pg CREATE FUNCTION event_matches(asked TEXT, parts TEXT, before INTEGER, since INTEGER, most INTEGER, whole BOOLEAN) RETURNS TABLE (seq INTEGER, folded TEXT)
--pg LANGUAGE plpgsql STABLE ROWS 100 SET jit = off SET max_parallel_workers_per_gather = 0 SET plan_cache_mode = force_generic_plan AS $$
--pg DECLARE
--pg 	until TIMESTAMPTZ := clock_timestamp() + INTERVAL '1 millisecond'; -- no further block
--pg 	terms TEXT[] := ARRAY(SELECT right(asked, 12) || part FROM unnest(string_to_array(parts, ' ')) AS part); -- of the index
--pg 	room INTEGER := most; -- for further events
--pg 	n INTEGER; -- events of a block
--pg BEGIN
--pg 	FOR block IN REVERSE CASE WHEN whole THEN 0 ELSE (before - 1) >> 12 END .. CASE WHEN whole THEN 0 ELSE since >> 12 END LOOP
--pg 		RETURN QUERY SELECT t.rowid, t.folded FROM event_texts t
--pg 			WHERE event_terms(t.rowid, t.account, t.folded) COLLATE "C" @> CASE WHEN whole THEN terms ELSE terms || (right(asked, 12) || ' ' || block) END
--pg 			AND t.account = asked AND t.rowid + 0 < before AND t.rowid + 0 >= since ORDER BY t.rowid DESC LIMIT room;
--pg 		GET DIAGNOSTICS n = ROW_COUNT;
--pg 		room := room - n;
--pg 		EXIT WHEN room <= 0;
--pg 		IF block > since >> 12 AND clock_timestamp() >= until THEN
--pg 			RETURN QUERY SELECT CAST(block AS INTEGER) << 12, CAST(NULL AS TEXT);
--pg 			EXIT;
--pg 		END IF;
--pg 	END LOOP;
--pg END $$;
