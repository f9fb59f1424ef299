-- How many listen, as gateways count them.

CREATE TABLE listening (                             -- now: what each gateway counted last
	event     TEXT    NOT NULL,                  -- whose channel it is
	channel   TEXT    NOT NULL,                  -- that is listened to
	language  TEXT    NOT NULL,                  -- or original
	node      TEXT    NOT NULL REFERENCES nodes (id) ON DELETE CASCADE, -- whose gateway counted
	listeners INTEGER NOT NULL,                  -- distinct listeners
	PRIMARY KEY (event, channel, language, node)
) STRICT, WITHOUT ROWID;
CREATE INDEX listening_node ON listening (node);

CREATE TABLE listening_minutes (                     -- the same by the minute, until 30 days after the event
	event     TEXT    NOT NULL,                  -- whose channel it is
	at_us     INTEGER NOT NULL,                  -- when the minute began
	language  TEXT    NOT NULL,                  -- or original
	channel   TEXT    NOT NULL,                  -- that was listened to
	listeners INTEGER NOT NULL,                  -- distinct listeners, early in that minute
	PRIMARY KEY (event, at_us, language, channel)
) STRICT, WITHOUT ROWID;
