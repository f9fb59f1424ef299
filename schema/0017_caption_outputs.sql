-- Captions that gateways post to the servers of streams.

CREATE TABLE caption_outputs (                       -- an output captions_push, once something was posted
	channel    TEXT    NOT NULL REFERENCES channels (id) ON DELETE CASCADE, -- whose it is
	output     TEXT    NOT NULL,                 -- SHA-256 of its address, as that holds a key
	seq        INTEGER NOT NULL,                 -- number of the last body posted
	runtime    TEXT    NOT NULL,                 -- pending, active, failed: what became of it
	error      TEXT,                             -- why the last try failed; NULL: it did not
	dropped    INTEGER NOT NULL,                 -- captions that were given up
	updated_us INTEGER NOT NULL,                 -- when this was written
	PRIMARY KEY (channel, output)
) STRICT, WITHOUT ROWID;
