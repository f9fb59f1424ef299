-- SPDX-License-Identifier: GPL-3.0-or-later
-- Final texts that wait before they go out. The gateway that holds them decides when, and
-- reads here what people decided.
CREATE TABLE held_lines (
	channel  TEXT    NOT NULL REFERENCES channels (id) ON DELETE CASCADE, -- its channel
	segment  TEXT    NOT NULL,                   -- transcription_id of the sockets
	owner    TEXT    NOT NULL,                   -- session of the gateway that holds it
	language TEXT    NOT NULL,                   -- code, folded
	text     TEXT    NOT NULL,                   -- as it was recognized
	start_us INTEGER NOT NULL,                   -- start of the speech
	end_us   INTEGER NOT NULL,                   -- end of the speech
	held_us  INTEGER NOT NULL,                   -- when it was held
	due_us   INTEGER NOT NULL,                   -- when it goes out
	action   TEXT,                               -- pass, drop, text; NULL: not decided
	said     TEXT,                               -- text to send instead; NULL: its own
	taken_us INTEGER,                            -- when it went out; NULL: it waits
	PRIMARY KEY (channel, segment)
) STRICT, WITHOUT ROWID;
CREATE INDEX held_lines_waiting ON held_lines (channel, held_us, segment);
CREATE INDEX held_lines_due ON held_lines (due_us);
