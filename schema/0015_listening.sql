-- SPDX-License-Identifier: GPL-3.0-or-later
-- The numbers of listeners, counted by gateways.

CREATE TABLE listening (                             -- last counts of each gateway
	event     TEXT    NOT NULL,                  -- event of the channel
	channel   TEXT    NOT NULL,                  -- its channel
	language  TEXT    NOT NULL,                  -- or original
	node      TEXT    NOT NULL REFERENCES nodes (id) ON DELETE CASCADE, -- node of the gateway
	listeners INTEGER NOT NULL,                  -- distinct listeners
	PRIMARY KEY (event, channel, language, node)
) STRICT, WITHOUT ROWID;
CREATE INDEX listening_node ON listening (node);

CREATE TABLE listening_minutes (                     -- counts by the minute, until 30 days after the event
	event     TEXT    NOT NULL,                  -- event of the channel
	at_us     INTEGER NOT NULL,                  -- start of the minute
	language  TEXT    NOT NULL,                  -- or original
	channel   TEXT    NOT NULL,                  -- its channel
	listeners INTEGER NOT NULL,                  -- distinct listeners, early in that minute
	PRIMARY KEY (event, at_us, language, channel)
) STRICT, WITHOUT ROWID;
