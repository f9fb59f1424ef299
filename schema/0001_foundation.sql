-- SPDX-License-Identifier: GPL-3.0-or-later
-- Accounts, credentials, jobs, stored answers, files and voices.
-- Times are microseconds since the epoch, UTC.  Ids are lower-case uuids made by
-- the program.  Booleans are 0 or 1.  Texts named "folded" are for searching.

CREATE TABLE accounts (
	id                        TEXT    PRIMARY KEY, -- user_id of the API
	name                      TEXT    NOT NULL,  -- name given by the operator
	status                    TEXT    NOT NULL,  -- active, suspended, deleting
	created_us                INTEGER NOT NULL,  -- when it was made
	stored_bytes              INTEGER NOT NULL DEFAULT 0, -- sum of its stored blobs
	plan_voices               INTEGER,           -- plan values; NULL: the setting's,
	plan_parallel_sessions    INTEGER,           -- 0: no limit
	plan_event_languages      INTEGER,           -- target languages of an event
	plan_storage_bytes        INTEGER,           -- of all its stored files
	plan_upload_min_bytes     INTEGER,           -- smallest accepted file
	plan_upload_max_bytes     INTEGER,           -- largest accepted file
	plan_glossaries           INTEGER,           -- most glossaries
	plan_requests_per_min     INTEGER            -- requests per minute
) STRICT;
CREATE INDEX accounts_created ON accounts (created_us, id);

CREATE TABLE credentials (
	id         TEXT    PRIMARY KEY,              -- of a client pair: its ClientID
	account    TEXT    NOT NULL REFERENCES accounts (id), -- account it acts for
	kind       TEXT    NOT NULL,                 -- key, pair, link, browser
	hash       TEXT    NOT NULL UNIQUE,          -- SHA-256 of the secret, hex
	scopes     TEXT    NOT NULL,                 -- space-separated; * is all
	label      TEXT    NOT NULL,                 -- name given by its owner
	created_us INTEGER NOT NULL,                 -- when it was made
	revoked_us INTEGER                           -- NULL: valid
) STRICT;
CREATE INDEX credentials_account ON credentials (account, created_us);

CREATE TABLE ledger (
	id           TEXT    PRIMARY KEY,            -- of the entry
	account      TEXT    NOT NULL REFERENCES accounts (id), -- whose balance it changes
	kind         TEXT    NOT NULL,               -- grant, usage, correction
	amount_micro INTEGER NOT NULL,               -- credits x 1,000,000, usage negative
	reference    TEXT    NOT NULL UNIQUE,        -- unique: nothing is booked twice
	created_us   INTEGER NOT NULL                -- time of booking
) STRICT;
CREATE INDEX ledger_account ON ledger (account, created_us);

CREATE TABLE answers (
	account    TEXT    NOT NULL,                 -- owner of the request
	route      TEXT    NOT NULL,                 -- method and path
	key        TEXT    NOT NULL,                 -- as the client chose it
	body_hash  TEXT    NOT NULL,                 -- SHA-256 of the request's body
	status     INTEGER NOT NULL,                 -- of the answer
	head       TEXT    NOT NULL,                 -- header lines
	body       TEXT    NOT NULL,                 -- as it was sent
	expires_us INTEGER NOT NULL,                 -- when the answer is deleted
	PRIMARY KEY (account, route, key)
) STRICT;
CREATE INDEX answers_expiry ON answers (expires_us);

CREATE TABLE jobs (
	id         TEXT    PRIMARY KEY,              -- of the job; a repeated job has a new id
	kind       TEXT    NOT NULL,                 -- "voice.clone"
	account    TEXT,                             -- account it runs for; NULL: none
	ref        TEXT    NOT NULL,                 -- id of its object
	state      TEXT    NOT NULL,                 -- ready, leased, dead
	due_us     INTEGER NOT NULL,                 -- earliest start; leased: end of the lease
	lease_key  TEXT,                             -- proof of the lease; rejects late results
	holder     TEXT,                             -- node and worker that leased it
	tries      INTEGER NOT NULL DEFAULT 0,       -- times it was leased
	error      TEXT,                             -- of the last try
	created_us INTEGER NOT NULL                  -- when it was queued
) STRICT;
CREATE INDEX jobs_due ON jobs (kind, due_us) WHERE state <> 'dead';
CREATE INDEX jobs_holder ON jobs (holder) WHERE state = 'leased';
CREATE INDEX jobs_dead ON jobs (created_us) WHERE state = 'dead';
CREATE UNIQUE INDEX jobs_once ON jobs (kind, ref) WHERE state <> 'dead';

CREATE TABLE workers (
	name        TEXT    PRIMARY KEY,             -- of the program
	last_run_us INTEGER NOT NULL,                -- last heartbeat
	failures    INTEGER NOT NULL DEFAULT 0       -- failed tries of its jobs
) STRICT;

CREATE TABLE chores (
	name        TEXT    PRIMARY KEY,             -- "janitor: sweep files"
	last_run_us INTEGER NOT NULL                 -- last start
) STRICT;

CREATE TABLE blobs (
	id           TEXT    PRIMARY KEY,            -- key of the upload form
	account      TEXT    REFERENCES accounts (id), -- NULL: of a built-in voice
	kind         TEXT    NOT NULL,               -- upload, voice_sample, tts_sample
	state        TEXT    NOT NULL,               -- awaiting, stored, checked, rejected, gone
	mime_type    TEXT    NOT NULL,               -- as declared
	filename     TEXT    NOT NULL,               -- as the client named it, for display
	display_name TEXT,                           -- name to display
	description  TEXT,                           -- given by the client
	voice        TEXT,                           -- voice it belongs to
	min_bytes    INTEGER NOT NULL,               -- smallest file that the form accepts
	max_bytes    INTEGER NOT NULL,               -- largest file that the form accepts
	file         TEXT,                           -- name in the blob store; NULL: none yet
	bytes        INTEGER,                        -- size of the file; NULL: none yet
	sha256       TEXT,                           -- hex
	created_us   INTEGER NOT NULL,               -- creation time of its form
	stored_us    INTEGER                         -- arrival of its bytes; NULL: not yet
) STRICT;
CREATE INDEX blobs_awaiting ON blobs (created_us, id) WHERE state = 'awaiting';
CREATE INDEX blobs_gone ON blobs (id) WHERE state = 'gone';
CREATE INDEX blobs_rejected ON blobs (id) WHERE state = 'rejected' AND file IS NOT NULL;
CREATE INDEX blobs_file ON blobs (file) WHERE file IS NOT NULL;
CREATE INDEX blobs_voice ON blobs (voice) WHERE voice IS NOT NULL;

CREATE TABLE voices (
	id             TEXT    PRIMARY KEY,          -- voice_id of the API
	account        TEXT    REFERENCES accounts (id), -- NULL: built-in
	created_us     INTEGER NOT NULL,             -- when it was made
	updated_us     INTEGER NOT NULL,             -- last change
	version        INTEGER NOT NULL DEFAULT 1,   -- increased by every change
	name           TEXT    NOT NULL,             -- name given by its owner
	description    TEXT,                         -- given by its owner
	folded         TEXT    NOT NULL,             -- name and description
	status         TEXT    NOT NULL,             -- created, pending, ready, failed
	warnings       TEXT    NOT NULL DEFAULT '',  -- a line each: slug, tab, detail
	errors         TEXT    NOT NULL DEFAULT '',  -- likewise, the reasons of a failure
	gender         TEXT,                         -- Male, Female, ...; NULL: unknown
	age_group      TEXT,                         -- Young, ...; NULL: unknown
	mood           TEXT,                         -- Calm, ...; NULL: unknown
	lang           TEXT    NOT NULL,             -- code of the language it speaks
	attributes     TEXT    NOT NULL DEFAULT '[]', -- JSON array of texts
	hidden         INTEGER NOT NULL,             -- only listed on request
	denoise        INTEGER NOT NULL,             -- 1: remove noise from the recording
	normalise      INTEGER NOT NULL,             -- 1: normalise its loudness
	sample         TEXT,                         -- blob of the recording
	own_voice      TEXT,                         -- result of the cloning engine
	external_voice TEXT,                         -- its name at the external provider
	lock_us        INTEGER NOT NULL DEFAULT 0    -- end of the lock of a process that makes a TTS sample
) STRICT;
CREATE INDEX voices_list ON voices (account, hidden, created_us, id);
CREATE INDEX voices_status ON voices (status, created_us);

CREATE TABLE tts_samples (
	id           TEXT    PRIMARY KEY,            -- id of its blob
	voice        TEXT    NOT NULL REFERENCES voices (id) ON DELETE CASCADE, -- voice that speaks it
	account      TEXT,                           -- account of the voice
	created_us   INTEGER NOT NULL,               -- when it was made
	provider     TEXT    NOT NULL,               -- own_provider, external_provider
	format       TEXT    NOT NULL,               -- container of the file: wav, mp3
	codec        TEXT    NOT NULL,               -- of the audio in it
	duration_s   REAL    NOT NULL,               -- duration in seconds
	mime_type    TEXT    NOT NULL,               -- of the file
	content      TEXT    NOT NULL,               -- spoken text
	lang         TEXT    NOT NULL,               -- language code of the text
	model        TEXT    NOT NULL,               -- model of the engine
	filename     TEXT    NOT NULL                -- file name for downloads
) STRICT;
CREATE INDEX tts_samples_voice ON tts_samples (voice, created_us, id);
CREATE INDEX tts_samples_list ON tts_samples (account, created_us, id);

CREATE TABLE favorites (
	account TEXT NOT NULL REFERENCES accounts (id), -- account that marked it
	voice   TEXT NOT NULL REFERENCES voices (id) ON DELETE CASCADE, -- its own or a built-in voice
	PRIMARY KEY (account, voice)
) STRICT;
CREATE INDEX favorites_voice ON favorites (voice);
