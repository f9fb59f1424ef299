-- SPDX-License-Identifier: GPL-3.0-or-later
-- Glossaries, events and what belongs to them, channels.
-- Lines that begin with "--pg" are for PostgreSQL only, lines that end with "-- sqlite"
-- for SQLite only.

CREATE TABLE glossaries (
	id          TEXT    PRIMARY KEY,             -- glossary_id of the API
	account     TEXT    NOT NULL REFERENCES accounts (id), -- its owner
	created_us  INTEGER NOT NULL,                -- when it was made
	updated_us  INTEGER NOT NULL,                -- last change
	version     INTEGER NOT NULL DEFAULT 1,      -- increased by every change
	name        TEXT    NOT NULL,                -- name given by its owner
	enabled     INTEGER NOT NULL,                -- 1: streams use it
	type        TEXT    NOT NULL,                -- translation, asr, asr_hot
	source_lang TEXT    NOT NULL,                -- code of the terms' language
	target_lang TEXT,                            -- language code of the translations; NULL: asr, asr_hot
	status      TEXT    NOT NULL DEFAULT 'none', -- none, pending, ready, failed
	entries     INTEGER NOT NULL DEFAULT 0,      -- number of imported rows
	faults      TEXT    NOT NULL DEFAULT '',     -- a line each: row, column, slug, detail
	blob        TEXT                             -- blob of the uploaded file
) STRICT;
CREATE INDEX glossaries_list ON glossaries (account, created_us, id);

CREATE TABLE glossary_terms (
	glossary TEXT PRIMARY KEY REFERENCES glossaries (id) ON DELETE CASCADE, -- glossary of the terms
	csv      TEXT NOT NULL                       -- imported rows: trimmed, LF, RFC 4180
) STRICT;

CREATE TABLE events (
	seq             INTEGER PRIMARY KEY,         -- increases with each event
	id              TEXT    NOT NULL UNIQUE,     -- event_id of the API
	account         TEXT    NOT NULL REFERENCES accounts (id), -- its organiser
	created_us      INTEGER NOT NULL,            -- when it was made
	updated_us      INTEGER NOT NULL,            -- last change
	version         INTEGER NOT NULL DEFAULT 1,  -- increased by every change
	title           TEXT    NOT NULL,            -- announced name
	description     TEXT,                        -- announced description
	type            TEXT    NOT NULL,            -- in-person, online
	location        TEXT,                        -- venue, as text
	timezone        TEXT,                        -- IANA name, for showing its times
	start_us        INTEGER NOT NULL,            -- announced start
	end_us          INTEGER NOT NULL,            -- announced end
	recurring       INTEGER NOT NULL,            -- 1: it is held repeatedly
	cover_key       TEXT,                        -- key of the image, given by the organiser
	cover_blob      TEXT,                        -- blob named by the key, or NULL
	access_code     TEXT,                        -- code required from listeners; NULL: none
	languages       TEXT    NOT NULL,            -- JSON array: targets of new channels
	listener_mode   TEXT    NOT NULL,            -- off, approval, auto
	room_suffix     TEXT    NOT NULL,            -- part of its room names
	channels_ready  INTEGER NOT NULL DEFAULT 0,  -- number of channels with lifecycle ready
	channels_active INTEGER NOT NULL DEFAULT 0,  -- number of channels with runtime active
	finished_us     INTEGER,                     -- set by a worker
	agenda          TEXT    NOT NULL             -- JSON array of sessions, by start; the
	                                             -- last, as it may be long
) STRICT;
CREATE INDEX events_list ON events (account, seq);
CREATE INDEX events_live ON events (account, seq) WHERE channels_active > 0;
-- The index contains all columns that the status of open events depends on.
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
	event       TEXT    NOT NULL REFERENCES events (id) ON DELETE CASCADE, -- event it belongs to
	position    INTEGER NOT NULL,                -- in the event, from 0
	name        TEXT    NOT NULL,                -- announced name
	greenscreen TEXT,                            -- JSON object
	created_us  INTEGER NOT NULL,                -- when it was made
	updated_us  INTEGER NOT NULL                 -- last change
) STRICT;
CREATE INDEX stages_event ON stages (event, position);

CREATE TABLE bundles (                               -- public views, made when asked for
	event TEXT PRIMARY KEY REFERENCES events (id) ON DELETE CASCADE, -- event of the public view
	maker TEXT NOT NULL,                         -- base address, release and fields of the renderer
	hash  TEXT NOT NULL,                         -- of the body
	body  TEXT NOT NULL                          -- JSON members that only a change of the event changes
) STRICT;

CREATE TABLE requests (                              -- of listeners, to the organiser
	id         TEXT    PRIMARY KEY,              -- request_id of the API
	event      TEXT    NOT NULL REFERENCES events (id) ON DELETE CASCADE, -- event of the listener
	type       TEXT    NOT NULL,                 -- add_language
	channel    TEXT    NOT NULL,                 -- '': any
	language   TEXT    NOT NULL,                 -- requested language code
	status     TEXT    NOT NULL,                 -- pending, approved, rejected
	asked      INTEGER NOT NULL,                 -- number of listeners who asked
	reason     TEXT,                             -- of a rejection
	first_us   INTEGER NOT NULL,                 -- time of the first request
	decided_us INTEGER,                          -- time of the decision; NULL: not yet
	UNIQUE (event, type, channel, language)
) STRICT;
CREATE INDEX requests_pending ON requests (event, first_us, id) WHERE status = 'pending';

-- These two may have a million rows for one event, so a worker deletes them later.
CREATE TABLE askers (                                -- listeners that made a request
	event    TEXT NOT NULL,                      -- of the request
	request  TEXT NOT NULL,                      -- the request
	listener TEXT NOT NULL,                      -- listener_id; each counts once
	PRIMARY KEY (event, request, listener)
) STRICT, WITHOUT ROWID;

CREATE TABLE joins (                                 -- who listened in which language, once
	event    TEXT NOT NULL,                      -- joined event
	listener TEXT NOT NULL,                      -- listener_id
	language TEXT NOT NULL,                      -- or original
	PRIMARY KEY (event, listener, language)
) STRICT, WITHOUT ROWID;

CREATE TABLE heard (                                 -- joins, counted as they happen
	event        TEXT    NOT NULL REFERENCES events (id) ON DELETE CASCADE, -- joined event
	language     TEXT    NOT NULL,               -- or original
	participants INTEGER NOT NULL,               -- distinct listeners in that language
	PRIMARY KEY (event, language)
) STRICT, WITHOUT ROWID;

CREATE TABLE event_stats (                           -- a row with every event
	event        TEXT    PRIMARY KEY REFERENCES events (id) ON DELETE CASCADE, -- event of the statistics
	participants INTEGER NOT NULL DEFAULT 0,     -- distinct listeners
	streamed_us  INTEGER NOT NULL DEFAULT 0,     -- total of all runs of its channels
	used_micro   INTEGER NOT NULL DEFAULT 0,     -- credits x 1,000,000, from the ledger
	active_us    INTEGER,                        -- time of the last join or audio
	changed_us   INTEGER,                        -- first join missing in the export; NULL: none
	csv          TEXT,                           -- the export; NULL: none yet
	noticed_us   INTEGER,                        -- when finished_us was set
	final        TEXT,                           -- JSON of the last statistics
	final_us     INTEGER                         -- time of the last statistics
) STRICT;
CREATE INDEX event_stats_changed ON event_stats (changed_us) WHERE changed_us IS NOT NULL;
CREATE INDEX event_stats_noticed ON event_stats (noticed_us)
	WHERE noticed_us IS NOT NULL AND final_us IS NULL;

CREATE TABLE channels (                              -- outlives its event until torn down
	id               TEXT    PRIMARY KEY,        -- channel_id of the API
	account          TEXT    NOT NULL REFERENCES accounts (id), -- its owner
	created_us       INTEGER NOT NULL,           -- when it was made
	updated_us       INTEGER NOT NULL,           -- last change
	version          INTEGER NOT NULL DEFAULT 1, -- increased by every change
	type             TEXT    NOT NULL,           -- event, standalone
	event            TEXT,                       -- event it belongs to; NULL: standalone
	stage            TEXT,                       -- stage of that event
	room_suffix      TEXT,                       -- room_suffix of the event
	lifecycle        TEXT    NOT NULL,           -- creating, ready, failed, deleting
	runtime          TEXT,                       -- pending, active, failed, stopped
	attempt          INTEGER NOT NULL DEFAULT 0, -- number of the attempt to create the broadcast
	held             INTEGER NOT NULL DEFAULT 0, -- 1: its broadcast may exist on the backend
	broadcast        TEXT,                       -- name on the backend; NULL: none
	name             TEXT    NOT NULL,           -- name given by its owner
	input_type       TEXT    NOT NULL,           -- webrtc_push, rtmp_push, srt_push, hls_pull
	input_url        TEXT,                       -- for hls_pull
	stream_key       TEXT,                       -- for rtmp_push, srt_push
	source_language  TEXT    NOT NULL,           -- source language code, or auto
	target_languages TEXT    NOT NULL,           -- JSON array
	region           TEXT    NOT NULL,           -- region of its backend
	ignore_video     INTEGER NOT NULL,           -- 1: use audio only
	original_delay_s REAL    NOT NULL,           -- delay of the original in seconds
	original_volume  REAL    NOT NULL,           -- volume of the original below the translation, 0 to 1
	audio_settings   TEXT,                       -- JSON object
	outputs          TEXT    NOT NULL,           -- JSON array
	pipeline         TEXT,                       -- JSON object
	input_bitrate    REAL,                       -- kbit/s of the input; NULL: unknown
	error            TEXT                        -- of the last failed attempt
) STRICT;
CREATE INDEX channels_list ON channels (account, created_us, id);
CREATE INDEX channels_event ON channels (event, created_us, id) WHERE event IS NOT NULL;

ALTER TABLE ledger ADD COLUMN event TEXT;            -- event of the usage
