-- SPDX-License-Identifier: GPL-3.0-or-later
-- Captions that gateways post to the servers of streams.

CREATE TABLE caption_outputs (                       -- an output captions_push to which something was posted
	channel    TEXT    NOT NULL REFERENCES channels (id) ON DELETE CASCADE, -- its channel
	output     TEXT    NOT NULL,                 -- SHA-256 of its address, which contains a key
	seq        INTEGER NOT NULL,                 -- number of the last body posted
	runtime    TEXT    NOT NULL,                 -- pending, active, failed
	error      TEXT,                             -- failure of the last try, or NULL
	dropped    INTEGER NOT NULL,                 -- number of discarded captions
	updated_us INTEGER NOT NULL,                 -- time of the last change
	PRIMARY KEY (channel, output)
) STRICT, WITHOUT ROWID;
