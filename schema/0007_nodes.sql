-- SPDX-License-Identifier: GPL-3.0-or-later
-- Nodes: hosts that share one database, each with its own gateway, workers and files.

CREATE TABLE nodes (
	id          TEXT    PRIMARY KEY,             -- from the file node.id in its state.dir
	public_url  TEXT    NOT NULL,                -- stream.public_url: address of its gateway
	connections INTEGER NOT NULL,                -- open sockets of its gateway
	tasks       INTEGER NOT NULL,                -- running tasks of its gateway
	load        INTEGER NOT NULL,                -- thousandths of its gateway's capacity, with sessions assigned since the heartbeat
	seen_us     INTEGER NOT NULL,                -- last heartbeat of its gateway
	store_fault TEXT                             -- fault of the file store found by its workers; NULL: none
) STRICT;

-- Values that all nodes must have in common; set by the first node or by the operator.
CREATE TABLE fingerprints (
	name   TEXT    PRIMARY KEY,                  -- secret.key, store, bucket
	value  TEXT    NOT NULL,                     -- 16 hex digits, from which the value cannot be derived
	node   TEXT    NOT NULL,                     -- the node that set it
	set_us INTEGER NOT NULL                      -- time of setting
) STRICT;

ALTER TABLE sessions ADD COLUMN node TEXT;           -- node that serves it; NULL: not assigned yet
ALTER TABLE channels ADD COLUMN node TEXT;           -- likewise

-- Workers by node.  Older rows have no node and count for every node.
CREATE TABLE node_workers (
	node        TEXT    NOT NULL DEFAULT '',     -- node of the worker
	name        TEXT    NOT NULL,                -- gateway, janitor and so on
	last_run_us INTEGER NOT NULL,                -- last heartbeat
	failures    INTEGER NOT NULL DEFAULT 0,      -- failed tries of its jobs
	PRIMARY KEY (node, name)
) STRICT;
INSERT INTO node_workers (node, name, last_run_us, failures)
	SELECT '', name, last_run_us, failures FROM workers;
DROP TABLE workers;
ALTER TABLE node_workers RENAME TO workers;
