-- Recordings of channels: a file of a run of a channel, which is a blob.
CREATE TABLE recordings (
	id          TEXT    PRIMARY KEY,             -- recording_id of the API
	account     TEXT    NOT NULL,                -- whose channel it is
	channel     TEXT    NOT NULL,                -- of which it is; may have gone since
	event       TEXT,                            -- of that channel; NULL: it stands alone
	language    TEXT,                            -- code, folded, or original; NULL: of an MP4, which has all
	format      TEXT    NOT NULL,                -- ogg, mp4
	start_us    INTEGER NOT NULL,                -- when it begins
	duration_ms INTEGER NOT NULL,                -- how long it is
	bytes       INTEGER NOT NULL,                -- how large its file is
	blob        TEXT    NOT NULL                 -- its file
) STRICT;
CREATE INDEX recordings_list ON recordings (account, channel, start_us, id);
CREATE INDEX recordings_old ON recordings (start_us);
