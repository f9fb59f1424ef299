-- Transcripts: what is said on channels, kept where their organiser wants it.

ALTER TABLE events ADD COLUMN transcript TEXT NOT NULL DEFAULT 'off';          -- off, organizer, public: who may read it
ALTER TABLE channels ADD COLUMN keep_transcript INTEGER NOT NULL DEFAULT 0;    -- of a standalone channel: whether it has one

CREATE TABLE transcript_lines (
	id            INTEGER PRIMARY KEY,           -- line_id of the API, growing
	account       TEXT    NOT NULL,              -- whose channel it is
	channel       TEXT    NOT NULL,              -- on which it was said; may have gone since
	event         TEXT,                          -- of that channel; NULL: it stands alone
	stage         TEXT,                          -- likewise
	segment       TEXT    NOT NULL,              -- transcription_id of the sockets
	part          INTEGER NOT NULL,              -- translation_part_id; 0 of what was said
	language      TEXT    NOT NULL,              -- code, folded
	original      INTEGER NOT NULL,              -- whether it is what was said, not a translation
	text          TEXT    NOT NULL,              -- as it was corrected last
	original_text TEXT,                          -- before its first correction; NULL: there was none
	speaker       TEXT,                          -- name; NULL: not known
	start_us      INTEGER NOT NULL,              -- when it was said
	end_us        INTEGER NOT NULL,              -- until when
	correction    INTEGER,                       -- number of the last one, in its channel; NULL: none
	UNIQUE (channel, segment, language, original, part)
) STRICT;
CREATE INDEX transcript_lines_channel ON transcript_lines (channel, start_us, id);
CREATE INDEX transcript_lines_event ON transcript_lines (event, start_us, id) WHERE event IS NOT NULL;
CREATE INDEX transcript_lines_corrected ON transcript_lines (channel, correction) WHERE correction IS NOT NULL;
