-- Glossaries, events and what belongs to them, channels.
-- A line that begins with "--pg" is PostgreSQL's, one that ends with "-- sqlite"
-- is SQLite's; everything else is for both.

CREATE TABLE glossaries (
	id          TEXT    PRIMARY KEY,             -- glossary_id of the API
	account     TEXT    NOT NULL REFERENCES accounts (id), -- its owner
	created_us  INTEGER NOT NULL,                -- when it was made
	updated_us  INTEGER NOT NULL,                -- last change
	version     INTEGER NOT NULL DEFAULT 1,      -- bumped by every change
	name        TEXT    NOT NULL,                -- as its owner calls it
	enabled     INTEGER NOT NULL,                -- whether streams use it
	type        TEXT    NOT NULL,                -- translation, asr, asr_hot
	source_lang TEXT    NOT NULL,                -- code of the terms' language
	target_lang TEXT,                            -- of their translations; NULL: of asr, asr_hot
	status      TEXT    NOT NULL DEFAULT 'none', -- none, pending, ready, failed
	entries     INTEGER NOT NULL DEFAULT 0,      -- rows imported
	faults      TEXT    NOT NULL DEFAULT '',     -- a line each: row, column, slug, detail
	blob        TEXT                             -- the file as it was uploaded
) STRICT;
CREATE INDEX glossaries_list ON glossaries (account, created_us, id);

CREATE TABLE glossary_terms (
	glossary TEXT PRIMARY KEY REFERENCES glossaries (id) ON DELETE CASCADE, -- whose terms they are
	csv      TEXT NOT NULL                       -- the rows imported: trimmed, LF, RFC 4180
) STRICT;

CREATE TABLE events (
	seq             INTEGER PRIMARY KEY,         -- the order in which they were made
	id              TEXT    NOT NULL UNIQUE,     -- event_id of the API
	account         TEXT    NOT NULL REFERENCES accounts (id), -- its organiser
	created_us      INTEGER NOT NULL,            -- when it was made
	updated_us      INTEGER NOT NULL,            -- last change
	version         INTEGER NOT NULL DEFAULT 1,  -- bumped by every change
	title           TEXT    NOT NULL,            -- as it is announced
	description     TEXT,                        -- longer, likewise
	type            TEXT    NOT NULL,            -- in-person, online
	location        TEXT,                        -- where it takes place, as text
	timezone        TEXT,                        -- IANA name that its times are shown in
	start_us        INTEGER NOT NULL,            -- announced start
	end_us          INTEGER NOT NULL,            -- announced end
	recurring       INTEGER NOT NULL,            -- whether it is held again and again
	cover_key       TEXT,                        -- of the image, as the organiser gave it
	cover_blob      TEXT,                        -- the blob that the key may name
	access_code     TEXT,                        -- that listeners need; NULL: none
	languages       TEXT    NOT NULL,            -- JSON array: targets of new channels
	listener_mode   TEXT    NOT NULL,            -- off, approval, auto
	room_suffix     TEXT    NOT NULL,            -- part of the names of its rooms
	channels_ready  INTEGER NOT NULL DEFAULT 0,  -- of its channels, lifecycle ready
	channels_active INTEGER NOT NULL DEFAULT 0,  -- of its channels, runtime active
	finished_us     INTEGER,                     -- set by a worker
	agenda          TEXT    NOT NULL             -- JSON array of sessions, by start; the
	                                             -- last, as it may be long
) STRICT;
CREATE INDEX events_list ON events (account, seq);
CREATE INDEX events_live ON events (account, seq) WHERE channels_active > 0;
-- The status of those that are not over is told from the index alone.
CREATE INDEX events_open ON events (account, seq, channels_active, channels_ready, start_us, end_us,
	finished_us) WHERE finished_us IS NULL;
CREATE INDEX events_over ON events (account, seq) WHERE finished_us IS NOT NULL;
CREATE INDEX events_due ON events (end_us) WHERE finished_us IS NULL;

-- Title and description of events, folded, by seq.
CREATE VIRTUAL TABLE event_texts USING fts5 (folded, tokenize = 'trigram case_sensitive 1'); -- sqlite
--pg CREATE EXTENSION IF NOT EXISTS pg_trgm;
--pg CREATE TABLE event_texts (
--pg 	rowid  INTEGER PRIMARY KEY,             -- seq of the event
--pg 	folded TEXT    NOT NULL                 -- its title, LF, its description
--pg );
--pg CREATE INDEX event_texts_trigrams ON event_texts USING gin (folded gin_trgm_ops);

CREATE TABLE stages (
	id          TEXT    PRIMARY KEY,             -- stage_id of the API
	event       TEXT    NOT NULL REFERENCES events (id) ON DELETE CASCADE, -- that it belongs to
	position    INTEGER NOT NULL,                -- in the event, from 0
	name        TEXT    NOT NULL,                -- as it is announced
	greenscreen TEXT,                            -- JSON object
	created_us  INTEGER NOT NULL,                -- when it was made
	updated_us  INTEGER NOT NULL                 -- last change
) STRICT;
CREATE INDEX stages_event ON stages (event, position);

CREATE TABLE bundles (                               -- public views, made when asked for
	event TEXT PRIMARY KEY REFERENCES events (id) ON DELETE CASCADE, -- whose public view it is
	maker TEXT NOT NULL,                         -- base address, release and fields that made it
	hash  TEXT NOT NULL,                         -- of the body
	body  TEXT NOT NULL                          -- JSON members that stay until a change
) STRICT;

CREATE TABLE requests (                              -- of listeners, to the organiser
	id         TEXT    PRIMARY KEY,              -- request_id of the API
	event      TEXT    NOT NULL REFERENCES events (id) ON DELETE CASCADE, -- that the listener is at
	type       TEXT    NOT NULL,                 -- add_language
	channel    TEXT    NOT NULL,                 -- '': any
	language   TEXT    NOT NULL,                 -- code of what is asked for
	status     TEXT    NOT NULL,                 -- pending, approved, rejected
	asked      INTEGER NOT NULL,                 -- how many times
	reason     TEXT,                             -- of a rejection
	first_us   INTEGER NOT NULL,                 -- when it was asked for first
	decided_us INTEGER,                          -- when the organiser answered; NULL: not yet
	UNIQUE (event, type, channel, language)
) STRICT;
CREATE INDEX requests_pending ON requests (event, first_us, id) WHERE status = 'pending';

-- These two may hold a million rows of one event, so a worker removes them behind it.
CREATE TABLE askers (                                -- listeners that made a request
	event    TEXT NOT NULL,                      -- of the request
	request  TEXT NOT NULL,                      -- that was made
	listener TEXT NOT NULL,                      -- listener_id; each counts once
	PRIMARY KEY (event, request, listener)
) STRICT, WITHOUT ROWID;

CREATE TABLE joins (                                 -- who listened in which language, once
	event    TEXT NOT NULL,                      -- that was joined
	listener TEXT NOT NULL,                      -- listener_id
	language TEXT NOT NULL,                      -- or original
	PRIMARY KEY (event, listener, language)
) STRICT, WITHOUT ROWID;

CREATE TABLE heard (                                 -- joins, counted as they happen
	event        TEXT    NOT NULL REFERENCES events (id) ON DELETE CASCADE, -- that was joined
	language     TEXT    NOT NULL,               -- or original
	participants INTEGER NOT NULL,               -- distinct listeners in that language
	PRIMARY KEY (event, language)
) STRICT, WITHOUT ROWID;

CREATE TABLE event_stats (                           -- a row with every event
	event        TEXT    PRIMARY KEY REFERENCES events (id) ON DELETE CASCADE, -- whose statistics they are
	participants INTEGER NOT NULL DEFAULT 0,     -- distinct listeners
	streamed_us  INTEGER NOT NULL DEFAULT 0,     -- over all runs of its channels
	used_micro   INTEGER NOT NULL DEFAULT 0,     -- credits x 1,000,000, of the ledger
	active_us    INTEGER,                        -- last join or sound
	changed_us   INTEGER,                        -- first join the export lacks; NULL: none
	csv          TEXT,                           -- the export; NULL: none yet
	noticed_us   INTEGER,                        -- finished_us was set then
	final        TEXT,                           -- JSON of the last statistics
	final_us     INTEGER                         -- when the last statistics were taken
) STRICT;
CREATE INDEX event_stats_changed ON event_stats (changed_us) WHERE changed_us IS NOT NULL;
CREATE INDEX event_stats_noticed ON event_stats (noticed_us)
	WHERE noticed_us IS NOT NULL AND final_us IS NULL;

CREATE TABLE channels (                              -- outlives its event until torn down
	id               TEXT    PRIMARY KEY,        -- channel_id of the API
	account          TEXT    NOT NULL REFERENCES accounts (id), -- its owner
	created_us       INTEGER NOT NULL,           -- when it was made
	updated_us       INTEGER NOT NULL,           -- last change
	version          INTEGER NOT NULL DEFAULT 1, -- bumped by every change
	type             TEXT    NOT NULL,           -- event, standalone
	event            TEXT,                       -- that it belongs to; NULL: standalone
	stage            TEXT,                       -- of that event
	room_suffix      TEXT,                       -- the event's
	lifecycle        TEXT    NOT NULL,           -- creating, ready, failed, deleting
	runtime          TEXT,                       -- pending, active, failed, stopped
	attempt          INTEGER NOT NULL DEFAULT 0, -- of creation; the broadcast bears it
	held             INTEGER NOT NULL DEFAULT 0, -- its broadcast may be on the backend
	broadcast        TEXT,                       -- name on the backend; NULL: not there
	name             TEXT    NOT NULL,           -- as its owner calls it
	input_type       TEXT    NOT NULL,           -- webrtc_push, rtmp_push, srt_push, hls_pull
	input_url        TEXT,                       -- of hls_pull
	stream_key       TEXT,                       -- of rtmp_push, srt_push
	source_language  TEXT    NOT NULL,           -- code of what is spoken, or auto
	target_languages TEXT    NOT NULL,           -- JSON array
	region           TEXT    NOT NULL,           -- where its backend is to be
	ignore_video     INTEGER NOT NULL,           -- whether only sound is used
	original_delay_s REAL    NOT NULL,           -- that the original is held back
	original_volume  REAL    NOT NULL,           -- of the original below the translation, 0 to 1
	audio_settings   TEXT,                       -- JSON object
	outputs          TEXT    NOT NULL,           -- JSON array
	pipeline         TEXT,                       -- JSON object
	input_bitrate    REAL,                       -- kbit/s of the input; NULL: not known
	error            TEXT                        -- of the last failed attempt
) STRICT;
CREATE INDEX channels_list ON channels (account, created_us, id);
CREATE INDEX channels_event ON channels (event, created_us, id) WHERE event IS NOT NULL;

ALTER TABLE ledger ADD COLUMN event TEXT;            -- that the usage was for
