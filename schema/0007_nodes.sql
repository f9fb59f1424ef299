-- Nodes: hosts over one database, each with a gateway, workers and files of its own.

CREATE TABLE nodes (
	id          TEXT    PRIMARY KEY,             -- from the file node.id in its state.dir
	public_url  TEXT    NOT NULL,                -- its stream.public_url, where clients reach its gateway
	connections INTEGER NOT NULL,                -- open sockets of its gateway
	tasks       INTEGER NOT NULL,                -- running tasks of its gateway
	load        INTEGER NOT NULL,                -- thousandths of what its gateway takes, and what was given to it since
	seen_us     INTEGER NOT NULL,                -- last heartbeat of its gateway
	store_fault TEXT                             -- what its workers found wrong with the store of files; NULL: nothing
) STRICT;

-- What all nodes must have in common; set by the first one, or by the operator.
CREATE TABLE fingerprints (
	name   TEXT    PRIMARY KEY,                  -- secret.key, store, bucket
	value  TEXT    NOT NULL,                     -- 16 hex digits, from which nothing can be read
	node   TEXT    NOT NULL,                     -- the node that set it
	set_us INTEGER NOT NULL                      -- when
) STRICT;

ALTER TABLE sessions ADD COLUMN node TEXT;           -- whose gateway serves it; NULL: the first one asked
ALTER TABLE channels ADD COLUMN node TEXT;           -- likewise

-- Workers by node; rows without a node are from before, and count for every node.
CREATE TABLE node_workers (
	node        TEXT    NOT NULL DEFAULT '',     -- whose worker it is
	name        TEXT    NOT NULL,                -- gateway, janitor and so on
	last_run_us INTEGER NOT NULL,                -- last sign of life
	failures    INTEGER NOT NULL DEFAULT 0,      -- jobs of its kinds that failed a try
	PRIMARY KEY (node, name)
) STRICT;
INSERT INTO node_workers (node, name, last_run_us, failures)
	SELECT '', name, last_run_us, failures FROM workers;
DROP TABLE workers;
ALTER TABLE node_workers RENAME TO workers;
