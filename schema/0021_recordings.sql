-- SPDX-License-Identifier: GPL-3.0-or-later
-- Recordings of channels: a row for each file, which is a blob.
CREATE TABLE recordings (
	id          TEXT    PRIMARY KEY,             -- recording_id of the API
	account     TEXT    NOT NULL,                -- owner of the channel
	channel     TEXT    NOT NULL,                -- its channel, which may be deleted since
	event       TEXT,                            -- event of the channel; NULL: standalone
	language    TEXT,                            -- code, folded, or original; NULL: an MP4 with all languages
	format      TEXT    NOT NULL,                -- ogg, mp4
	start_us    INTEGER NOT NULL,                -- start
	duration_ms INTEGER NOT NULL,                -- duration
	bytes       INTEGER NOT NULL,                -- size of the file
	blob        TEXT    NOT NULL                 -- blob of the file
) STRICT;
CREATE INDEX recordings_list ON recordings (account, channel, start_us, id);
CREATE INDEX recordings_old ON recordings (start_us);
