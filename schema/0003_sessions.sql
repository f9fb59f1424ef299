-- Sessions, and a balance that need not be added up.

CREATE TABLE sessions (
	id         TEXT    PRIMARY KEY,              -- session_id of the API
	account    TEXT    NOT NULL REFERENCES accounts (id), -- its owner
	created_us INTEGER NOT NULL,                 -- when it was made
	updated_us INTEGER NOT NULL,                 -- last change
	expires_us INTEGER NOT NULL,                 -- from then on nobody finds it
	counted_us INTEGER NOT NULL,                 -- until then it has a place of the plan
	tokens_us  INTEGER NOT NULL,                 -- end of its tokens, and of it at the latest
	ttl_us     INTEGER NOT NULL,                 -- asked for last; connections renew it
	intent     TEXT    NOT NULL,                 -- what it is for, as its owner said
	room       TEXT    NOT NULL UNIQUE           -- its name on the media backend
) STRICT;
CREATE INDEX sessions_list ON sessions (account, created_us, id);
CREATE INDEX sessions_counted ON sessions (account, counted_us);
CREATE INDEX sessions_expiry ON sessions (expires_us);

-- For metrics.
CREATE INDEX channels_lifecycle ON channels (lifecycle);

-- Written with every entry of the ledger, in one transaction: always their sum.
ALTER TABLE accounts ADD COLUMN balance_micro INTEGER NOT NULL DEFAULT 0; -- sum of its ledger, credits x 1,000,000
UPDATE accounts SET balance_micro = (SELECT COALESCE(sum(amount_micro), 0) FROM ledger WHERE account = accounts.id);

-- The ledger is only added to, whoever is at the database.
CREATE TRIGGER ledger_no_update BEFORE UPDATE ON ledger BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END; -- sqlite
CREATE TRIGGER ledger_no_delete BEFORE DELETE ON ledger BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END; -- sqlite
-- REPLACE would delete without a word to the trigger above.
CREATE TRIGGER ledger_no_replace BEFORE INSERT ON ledger WHEN EXISTS (SELECT 1 FROM ledger WHERE id = NEW.id OR reference = NEW.reference) BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END; -- sqlite
--pg CREATE FUNCTION ledger_stays() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN RAISE EXCEPTION 'the ledger is only added to' USING ERRCODE = 'integrity_constraint_violation'; END $$;
--pg CREATE TRIGGER ledger_stays BEFORE UPDATE OR DELETE OR TRUNCATE ON ledger FOR EACH STATEMENT EXECUTE FUNCTION ledger_stays();
