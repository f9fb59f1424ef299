-- SPDX-License-Identifier: GPL-3.0-or-later
-- The languages of the engines, stored by a worker so that requests need not query engines.

CREATE TABLE served_languages (                      -- empty until the worker's first run
	source    TEXT    PRIMARY KEY,               -- source language code, or auto: any language
	heard     INTEGER NOT NULL,                  -- 1: an engine recognises it
	targets   TEXT    NOT NULL,                  -- JSON array: languages it is translated into
	text_only TEXT    NOT NULL,                  -- JSON array: targets that no engine speaks
	settings  TEXT    NOT NULL                   -- hash of the engines' settings
) STRICT;

-- Set with the languages of the channel, and by the worker when the engines change.
ALTER TABLE channels ADD COLUMN unserved TEXT NOT NULL DEFAULT '[]';  -- JSON array: targets that no engine serves
ALTER TABLE channels ADD COLUMN text_only TEXT NOT NULL DEFAULT '[]'; -- JSON array: targets that no engine speaks
