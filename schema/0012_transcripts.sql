-- SPDX-License-Identifier: GPL-3.0-or-later
-- Transcripts: the texts of channels, stored if their organiser wants it.

ALTER TABLE events ADD COLUMN transcript TEXT NOT NULL DEFAULT 'off';          -- off, organizer, public: the readers
ALTER TABLE channels ADD COLUMN keep_transcript INTEGER NOT NULL DEFAULT 0;    -- 1: a standalone channel with a transcript

CREATE TABLE transcript_lines (
	id            INTEGER PRIMARY KEY,           -- line_id of the API, increasing
	account       TEXT    NOT NULL,              -- owner of the channel
	channel       TEXT    NOT NULL,              -- its channel, which may be deleted since
	event         TEXT,                          -- event of the channel; NULL: standalone
	stage         TEXT,                          -- likewise
	segment       TEXT    NOT NULL,              -- transcription_id of the sockets
	part          INTEGER NOT NULL,              -- translation_part_id; 0 for original text
	language      TEXT    NOT NULL,              -- code, folded
	original      INTEGER NOT NULL,              -- 1: original text, 0: a translation
	text          TEXT    NOT NULL,              -- text after the last correction
	original_text TEXT,                          -- text before the first correction; NULL: none
	speaker       TEXT,                          -- name; NULL: unknown
	start_us      INTEGER NOT NULL,              -- start of the speech
	end_us        INTEGER NOT NULL,              -- end of the speech
	correction    INTEGER,                       -- number of its last correction in the channel; NULL: none
	UNIQUE (channel, segment, language, original, part)
) STRICT;
CREATE INDEX transcript_lines_channel ON transcript_lines (channel, start_us, id);
CREATE INDEX transcript_lines_event ON transcript_lines (event, start_us, id) WHERE event IS NOT NULL;
CREATE INDEX transcript_lines_corrected ON transcript_lines (channel, correction) WHERE correction IS NOT NULL;
