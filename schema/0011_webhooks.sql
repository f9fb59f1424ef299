-- SPDX-License-Identifier: GPL-3.0-or-later
-- Webhooks: addresses of customers, and the messages to them.

CREATE TABLE webhooks (
	id              TEXT    PRIMARY KEY,         -- webhook_id of the API
	account         TEXT    NOT NULL REFERENCES accounts (id), -- its owner
	url             TEXT    NOT NULL,            -- where messages go
	description     TEXT,                        -- description by the owner, or NULL
	events          TEXT    NOT NULL,            -- JSON array of message types, or ["*"]
	enabled         INTEGER NOT NULL,            -- 1: messages are created and sent
	disabled_reason TEXT,                        -- failing, gone, owner; NULL: it is enabled
	failures        INTEGER NOT NULL,            -- deliveries in a row that failed for good
	failing         INTEGER NOT NULL,            -- 1: its last try failed
	seed            TEXT    NOT NULL,            -- its secret is derived from this and the key file
	old_seed        TEXT,                        -- likewise for the previous secret, or NULL
	old_until_us    INTEGER,                     -- until then the previous secret signs as well
	good_us         INTEGER NOT NULL,            -- last success, or when it was enabled
	last_type       TEXT,                        -- message type of its last try; NULL: none yet
	last_status     TEXT,                        -- status of the delivery after that try
	last_us         INTEGER,                     -- end of that try
	due_us          INTEGER,                     -- when the next delivery is due; NULL: none, or disabled
	created_us      INTEGER NOT NULL,            -- when it was made
	updated_us      INTEGER NOT NULL,            -- last change by its owner, or of enabled
	version         INTEGER NOT NULL DEFAULT 1   -- increased by these changes
) STRICT;
CREATE INDEX webhooks_list ON webhooks (account, created_us, id);
CREATE INDEX webhooks_due ON webhooks (failing, due_us) WHERE due_us IS NOT NULL;

-- A message to one of them.
CREATE TABLE webhook_deliveries (
	id              TEXT    PRIMARY KEY,         -- delivery_id of the API
	webhook         TEXT    NOT NULL,            -- its webhook; if that is deleted, a job deletes this row
	account         TEXT    NOT NULL,            -- its owner
	message         TEXT    NOT NULL,            -- webhook-id, the same for all webhooks
	type            TEXT    NOT NULL,            -- of the message
	status          TEXT    NOT NULL,            -- pending, delivered, failed
	tries           INTEGER NOT NULL,            -- ended tries
	due_us          INTEGER,                     -- next try or end of the lease; NULL: none
	holder          TEXT,                        -- worker that is sending it; NULL: none
	lease_key       TEXT,                        -- proof of the worker's lease
	response_status INTEGER,                     -- of the last try; NULL: no answer
	response_ms     INTEGER,                     -- duration of that try; NULL: none yet
	error           TEXT,                        -- failure of that try, or NULL
	created_us      INTEGER NOT NULL,            -- creation time
	body            TEXT    NOT NULL             -- body of every try
) STRICT;
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (webhook, created_us, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook, due_us) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (webhook) WHERE status = 'failed';
CREATE INDEX webhook_deliveries_held ON webhook_deliveries (holder) WHERE holder IS NOT NULL;
CREATE INDEX webhook_deliveries_age ON webhook_deliveries (created_us);

ALTER TABLE accounts ADD COLUMN plan_webhooks INTEGER; -- most webhooks; NULL: the setting's value
