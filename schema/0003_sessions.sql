-- Sessions, and a balance that need not be added up.

CREATE TABLE sessions (
	id         TEXT    PRIMARY KEY,
	account    TEXT    NOT NULL REFERENCES accounts (id),
	created_us INTEGER NOT NULL,
	updated_us INTEGER NOT NULL,
	expires_us INTEGER NOT NULL,                 -- from then on nobody finds it
	counted_us INTEGER NOT NULL,                 -- until then it has a place of the plan
	tokens_us  INTEGER NOT NULL,                 -- end of its tokens, and of it at the latest
	ttl_us     INTEGER NOT NULL,                 -- asked for last; connections renew it
	intent     TEXT    NOT NULL,
	room       TEXT    NOT NULL UNIQUE           -- its name on the media backend
) STRICT;
CREATE INDEX sessions_list ON sessions (account, created_us, id);
CREATE INDEX sessions_counted ON sessions (account, counted_us);
CREATE INDEX sessions_expiry ON sessions (expires_us);

-- Written with every entry of the ledger, in one transaction: always their sum.
ALTER TABLE accounts ADD COLUMN balance_micro INTEGER NOT NULL DEFAULT 0;
UPDATE accounts SET balance_micro = (SELECT COALESCE(sum(amount_micro), 0) FROM ledger WHERE account = accounts.id);
