-- SPDX-License-Identifier: GPL-3.0-or-later
-- Sessions, and the balance of accounts.

CREATE TABLE sessions (
	id         TEXT    PRIMARY KEY,              -- session_id of the API
	account    TEXT    NOT NULL REFERENCES accounts (id), -- its owner
	created_us INTEGER NOT NULL,                 -- when it was made
	updated_us INTEGER NOT NULL,                 -- last change
	expires_us INTEGER NOT NULL,                 -- end of the session
	counted_us INTEGER NOT NULL,                 -- until then it counts for the plan
	tokens_us  INTEGER NOT NULL,                 -- expiry of its tokens; expires_us is never later
	ttl_us     INTEGER NOT NULL,                 -- lifetime last requested; connections renew it
	intent     TEXT    NOT NULL,                 -- purpose given by its owner
	room       TEXT    NOT NULL UNIQUE           -- its name on the media backend
) STRICT;
CREATE INDEX sessions_list ON sessions (account, created_us, id);
CREATE INDEX sessions_counted ON sessions (account, counted_us);
CREATE INDEX sessions_expiry ON sessions (expires_us);

-- For metrics.
CREATE INDEX channels_lifecycle ON channels (lifecycle);

-- Updated in the transaction of every ledger entry, so it is always their sum.
ALTER TABLE accounts ADD COLUMN balance_micro INTEGER NOT NULL DEFAULT 0; -- sum of its ledger, credits x 1,000,000
UPDATE accounts SET balance_micro = (SELECT COALESCE(sum(amount_micro), 0) FROM ledger WHERE account = accounts.id);

-- Entries of the ledger can only be added, even with direct access to the database.
CREATE TRIGGER ledger_no_update BEFORE UPDATE ON ledger BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END; -- sqlite
CREATE TRIGGER ledger_no_delete BEFORE DELETE ON ledger BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END; -- sqlite
-- REPLACE would delete rows without running the trigger above.
CREATE TRIGGER ledger_no_replace BEFORE INSERT ON ledger WHEN EXISTS (SELECT 1 FROM ledger WHERE id = NEW.id OR reference = NEW.reference) BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END; -- sqlite
--pg CREATE FUNCTION ledger_stays() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the ledger is only added to' USING ERRCODE = 'integrity_constraint_violation'; END $$;
--pg CREATE TRIGGER ledger_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger FOR EACH STATEMENT EXECUTE FUNCTION ledger_stays();
