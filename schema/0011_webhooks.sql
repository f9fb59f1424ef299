-- Webhooks: addresses of customers, and what is sent to them.

CREATE TABLE webhooks (
	id              TEXT    PRIMARY KEY,         -- webhook_id of the API
	account         TEXT    NOT NULL REFERENCES accounts (id), -- its owner
	url             TEXT    NOT NULL,            -- where messages go
	description     TEXT,                        -- the owner's word for it, or NULL
	events          TEXT    NOT NULL,            -- JSON array of message types, or ["*"]
	enabled         INTEGER NOT NULL,            -- messages are written and sent
	disabled_reason TEXT,                        -- failing, gone, owner; NULL: it is enabled
	failures        INTEGER NOT NULL,            -- deliveries in a row that used up their tries
	failing         INTEGER NOT NULL,            -- its last try failed
	seed            TEXT    NOT NULL,            -- what its secret is made from, with the key file
	old_seed        TEXT,                        -- likewise of the secret before, or NULL
	old_until_us    INTEGER,                     -- the secret before signs, too, until then
	good_us         INTEGER NOT NULL,            -- last delivery; before any: when it was enabled
	last_type       TEXT,                        -- of its last try: message type; NULL: none yet
	last_status     TEXT,                        -- what that try made of its delivery
	last_us         INTEGER,                     -- when that try ended
	due_us          INTEGER,                     -- when to look for deliveries; NULL: none, or disabled
	created_us      INTEGER NOT NULL,            -- when it was made
	updated_us      INTEGER NOT NULL,            -- last change by its owner, or of enabled
	version         INTEGER NOT NULL DEFAULT 1   -- grows with those changes
) STRICT;
CREATE INDEX webhooks_list ON webhooks (account, created_us, id);
CREATE INDEX webhooks_due ON webhooks (failing, due_us) WHERE due_us IS NOT NULL;

-- A message to one of them.
CREATE TABLE webhook_deliveries (
	id              TEXT    PRIMARY KEY,         -- delivery_id of the API
	webhook         TEXT    NOT NULL,            -- which may be gone; then a job removes this
	account         TEXT    NOT NULL,            -- its owner
	message         TEXT    NOT NULL,            -- webhook-id, the same for all webhooks that get it
	type            TEXT    NOT NULL,            -- of the message
	status          TEXT    NOT NULL,            -- pending, delivered, failed
	tries           INTEGER NOT NULL,            -- that have ended
	due_us          INTEGER,                     -- next try, or end of the lease; NULL: there is none
	holder          TEXT,                        -- worker that sends it now; NULL: none
	lease_key       TEXT,                        -- proof that the lease is the worker's
	response_status INTEGER,                     -- of the last try; NULL: no answer
	response_ms     INTEGER,                     -- how long that try took; NULL: none yet
	error           TEXT,                        -- why that try failed, or NULL
	created_us      INTEGER NOT NULL,            -- when it was written
	body            TEXT    NOT NULL             -- as it is sent in every try
) STRICT;
CREATE INDEX webhook_deliveries_list ON webhook_deliveries (webhook, created_us, id);
CREATE INDEX webhook_deliveries_due ON webhook_deliveries (webhook, due_us) WHERE status = 'pending';
CREATE INDEX webhook_deliveries_failed ON webhook_deliveries (webhook) WHERE status = 'failed';
CREATE INDEX webhook_deliveries_held ON webhook_deliveries (holder) WHERE holder IS NOT NULL;
CREATE INDEX webhook_deliveries_age ON webhook_deliveries (created_us);

ALTER TABLE accounts ADD COLUMN plan_webhooks INTEGER; -- webhooks it may have; NULL: the setting's
