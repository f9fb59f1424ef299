-- Accounts, credentials, jobs, stored answers, files and voices.
-- Times are microseconds since the epoch, UTC.  Ids are lower-case uuids made by
-- the program.  Booleans are 0 or 1.  Texts named "folded" are for searching.

CREATE TABLE accounts (
	id                        TEXT    PRIMARY KEY, -- user_id of the API
	name                      TEXT    NOT NULL,  -- the operator's word for it
	status                    TEXT    NOT NULL,  -- active, suspended
	created_us                INTEGER NOT NULL,  -- when it was made
	stored_bytes              INTEGER NOT NULL DEFAULT 0, -- sum over its stored blobs
	plan_voices               INTEGER,           -- plan values; NULL: the setting's,
	plan_parallel_sessions    INTEGER,           -- 0: no limit
	plan_event_languages      INTEGER,           -- target languages of an event
	plan_storage_bytes        INTEGER,           -- of all its stored files
	plan_upload_min_bytes     INTEGER,           -- the smallest file that is taken
	plan_upload_max_bytes     INTEGER,           -- the largest
	plan_glossaries           INTEGER,           -- glossaries it may have
	plan_requests_per_min     INTEGER            -- requests in a minute
) STRICT;
CREATE INDEX accounts_created ON accounts (created_us, id);

CREATE TABLE credentials (
	id         TEXT    PRIMARY KEY,              -- of a client pair: its ClientID
	account    TEXT    NOT NULL REFERENCES accounts (id), -- that it acts for
	kind       TEXT    NOT NULL,                 -- key, pair
	hash       TEXT    NOT NULL UNIQUE,          -- SHA-256 of the secret, hex
	scopes     TEXT    NOT NULL,                 -- space-separated; * is all
	label      TEXT    NOT NULL,                 -- what the operator sees of it
	created_us INTEGER NOT NULL,                 -- when it was made
	revoked_us INTEGER                           -- NULL: good
) STRICT;
CREATE INDEX credentials_account ON credentials (account, created_us);

CREATE TABLE ledger (
	id           TEXT    PRIMARY KEY,            -- of the entry
	account      TEXT    NOT NULL REFERENCES accounts (id), -- whose balance it changes
	kind         TEXT    NOT NULL,               -- grant, usage, correction
	amount_micro INTEGER NOT NULL,               -- credits x 1,000,000, usage negative
	reference    TEXT    NOT NULL UNIQUE,        -- what it is for; never booked twice
	created_us   INTEGER NOT NULL                -- when it was booked
) STRICT;
CREATE INDEX ledger_account ON ledger (account, created_us);

CREATE TABLE answers (
	account    TEXT    NOT NULL,                 -- kept for an Idempotency-Key
	route      TEXT    NOT NULL,                 -- method and path
	key        TEXT    NOT NULL,                 -- as the client chose it
	body_hash  TEXT    NOT NULL,                 -- SHA-256 of the request's body
	status     INTEGER NOT NULL,                 -- of the answer
	head       TEXT    NOT NULL,                 -- header lines
	body       TEXT    NOT NULL,                 -- as it was sent
	expires_us INTEGER NOT NULL,                 -- then it is forgotten
	PRIMARY KEY (account, route, key)
) STRICT;
CREATE INDEX answers_expiry ON answers (expires_us);

CREATE TABLE jobs (
	id         TEXT    PRIMARY KEY,              -- of the job; a repeated one has another
	kind       TEXT    NOT NULL,                 -- "voice.clone"
	account    TEXT,                             -- on whose behalf; NULL: nobody's
	ref        TEXT    NOT NULL,                 -- id of what it is about
	state      TEXT    NOT NULL,                 -- ready, leased, dead
	due_us     INTEGER NOT NULL,                 -- not before this; leased: until then
	lease_key  TEXT,                             -- proof of the lease; fences late ends
	holder     TEXT,                             -- host and worker that leased it
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
	last_run_us INTEGER NOT NULL,                -- last sign of life
	failures    INTEGER NOT NULL DEFAULT 0       -- jobs of its kinds that failed a try
) STRICT;

CREATE TABLE chores (
	name        TEXT    PRIMARY KEY,             -- "janitor: sweep files"
	last_run_us INTEGER NOT NULL                 -- when it was begun last
) STRICT;

CREATE TABLE blobs (
	id           TEXT    PRIMARY KEY,            -- key of the upload form
	account      TEXT    REFERENCES accounts (id), -- NULL: of a built-in voice
	kind         TEXT    NOT NULL,               -- upload, voice_sample, tts_sample
	state        TEXT    NOT NULL,               -- awaiting, stored, checked, rejected, gone
	mime_type    TEXT    NOT NULL,               -- as declared
	filename     TEXT    NOT NULL,               -- as the client named it, for display
	display_name TEXT,                           -- as the client wants it shown
	description  TEXT,                           -- of the client
	voice        TEXT,                           -- that it belongs to
	min_bytes    INTEGER NOT NULL,               -- bounds of the form, inclusive
	max_bytes    INTEGER NOT NULL,               -- the largest that the form takes
	file         TEXT,                           -- name in the blob store; NULL: none yet
	bytes        INTEGER,                        -- size of the file; NULL: none yet
	sha256       TEXT,                           -- hex
	created_us   INTEGER NOT NULL,               -- when its form was made
	stored_us    INTEGER                         -- when its bytes had arrived; NULL: not yet
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
	version        INTEGER NOT NULL DEFAULT 1,   -- bumped by every change
	name           TEXT    NOT NULL,             -- as its owner calls it
	description    TEXT,                         -- of its owner
	folded         TEXT    NOT NULL,             -- name and description
	status         TEXT    NOT NULL,             -- created, pending, ready, failed
	warnings       TEXT    NOT NULL DEFAULT '',  -- a line each: slug, tab, detail
	errors         TEXT    NOT NULL DEFAULT '',  -- likewise, why it failed
	gender         TEXT,                         -- Male, Female, ...; NULL: not said
	age_group      TEXT,                         -- Young, ...; NULL: not said
	mood           TEXT,                         -- Calm, ...; NULL: not said
	lang           TEXT    NOT NULL,             -- code of the language it speaks
	attributes     TEXT    NOT NULL DEFAULT '[]', -- JSON array of texts
	hidden         INTEGER NOT NULL,             -- left out of lists unless asked for
	denoise        INTEGER NOT NULL,             -- whether the recording is freed of noise
	normalise      INTEGER NOT NULL,             -- whether it is made equally loud
	sample         TEXT,                         -- blob of the recording
	own_voice      TEXT,                         -- what our cloning engine made
	external_voice TEXT,                         -- its name at the external provider
	lock_us        INTEGER NOT NULL DEFAULT 0    -- a TTS sample is being made until then
) STRICT;
CREATE INDEX voices_list ON voices (account, hidden, created_us, id);
CREATE INDEX voices_status ON voices (status, created_us);

CREATE TABLE tts_samples (
	id           TEXT    PRIMARY KEY,            -- its blob's
	voice        TEXT    NOT NULL REFERENCES voices (id) ON DELETE CASCADE, -- that speaks it
	account      TEXT,                           -- the voice's
	created_us   INTEGER NOT NULL,               -- when it was made
	provider     TEXT    NOT NULL,               -- own_provider, external_provider
	format       TEXT    NOT NULL,               -- container of the file: wav, mp3
	codec        TEXT    NOT NULL,               -- of the sound within it
	duration_s   REAL    NOT NULL,               -- seconds of sound
	mime_type    TEXT    NOT NULL,               -- of the file
	content      TEXT    NOT NULL,               -- what is said
	lang         TEXT    NOT NULL,               -- code of the language spoken
	model        TEXT    NOT NULL,               -- of the engine that spoke it
	filename     TEXT    NOT NULL                -- proposed when it is downloaded
) STRICT;
CREATE INDEX tts_samples_voice ON tts_samples (voice, created_us, id);
CREATE INDEX tts_samples_list ON tts_samples (account, created_us, id);

CREATE TABLE favorites (
	account TEXT NOT NULL REFERENCES accounts (id), -- that marked it
	voice   TEXT NOT NULL REFERENCES voices (id) ON DELETE CASCADE, -- its own, or a built-in one
	PRIMARY KEY (account, voice)
) STRICT;
CREATE INDEX favorites_voice ON favorites (voice);
