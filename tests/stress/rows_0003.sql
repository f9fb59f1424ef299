-- SPDX-License-Identifier: GPL-3.0-or-later
-- Additional rows of a service with schema version 3.

INSERT INTO sessions (id, account, created_us, updated_us, expires_us, counted_us, tokens_us, ttl_us, intent, room) VALUES
	('x1', '11111111-1111-4111-8111-111111111111', 1, 2, 1900000000000000, 3, 1900000000000000, 3600000000, 's2s', 'room-1');

-- From this version on the balance is updated with each entry.
UPDATE accounts SET balance_micro = (SELECT COALESCE(sum(amount_micro), 0) FROM ledger WHERE account = accounts.id);
