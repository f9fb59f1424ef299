-- What engines serve, kept by a worker, so that requests need not ask engines.

CREATE TABLE served_languages (                      -- empty until the worker looked first
	source    TEXT    PRIMARY KEY,               -- spoken: a code, or auto: any of them
	heard     INTEGER NOT NULL,                  -- an engine recognises it
	targets   TEXT    NOT NULL,                  -- JSON array: what it is translated into
	text_only TEXT    NOT NULL,                  -- JSON array: targets that no engine speaks
	settings  TEXT    NOT NULL                   -- hash of the settings of the engines
) STRICT;

-- Written with the languages of the channel, and by the worker when engines differ.
ALTER TABLE channels ADD COLUMN unserved TEXT NOT NULL DEFAULT '[]';  -- JSON array: no engine serves them
ALTER TABLE channels ADD COLUMN text_only TEXT NOT NULL DEFAULT '[]'; -- JSON array: no engine speaks them
