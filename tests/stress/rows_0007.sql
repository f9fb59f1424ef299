-- SPDX-License-Identifier: GPL-3.0-or-later
-- Additional rows of a service with schema version 7.

INSERT INTO nodes (id, public_url, connections, tasks, load, seen_us, store_fault) VALUES
	('n1', 'https://a.example.org', 12, 3, 75, 1700000000000000, 'The bucket does not answer.');
INSERT INTO fingerprints (name, value, node, set_us) VALUES
	('secret.key', '0123456789abcdef', 'n1', 1700000000000000);
INSERT INTO workers (node, name, last_run_us, failures) VALUES ('n1', 'janitor', 1700000000000000, 1);
UPDATE sessions SET node = 'n1' WHERE id = 'x1';
UPDATE channels SET node = 'n1' WHERE id = 'c1';
