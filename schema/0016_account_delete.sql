-- SPDX-License-Identifier: GPL-3.0-or-later
-- An account is deleted in steps; its status is "deleting" until the end.
ALTER TABLE accounts ADD COLUMN deleting_us INTEGER; -- when its deletion was requested; NULL: not
CREATE INDEX accounts_deleting ON accounts (id) WHERE deleting_us IS NOT NULL;
CREATE INDEX blobs_account ON blobs (account) WHERE account IS NOT NULL;
-- Entries of the ledger can only be added, but they are deleted with their account.
DROP TRIGGER ledger_no_delete; -- sqlite
CREATE TRIGGER ledger_no_delete BEFORE DELETE ON ledger WHEN NOT EXISTS (SELECT 1 FROM accounts WHERE id = OLD.account AND status = 'deleting') BEGIN SELECT RAISE(ABORT, 'the ledger is only added to'); END; -- sqlite
--pg DROP TRIGGER ledger_stays ON ledger;
--pg CREATE TRIGGER ledger_stays BEFORE UPDATE OR TRUNCATE ON ledger FOR EACH STATEMENT EXECUTE FUNCTION ledger_stays();
--pg CREATE FUNCTION ledger_goes() RETURNS trigger LANGUAGE plpgsql AS $$ BEGIN IF NOT EXISTS (SELECT 1 FROM accounts WHERE id = OLD.account AND status = 'deleting') THEN RAISE EXCEPTION 'the ledger is only added to' USING ERRCODE = 'integrity_constraint_violation'; END IF; RETURN OLD; END $$;
--pg CREATE TRIGGER ledger_goes BEFORE DELETE ON ledger FOR EACH ROW EXECUTE FUNCTION ledger_goes();
