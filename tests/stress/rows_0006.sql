-- SPDX-License-Identifier: GPL-3.0-or-later
-- Additional rows of a service with schema version 6.

INSERT INTO served_languages (source, heard, targets, text_only, settings) VALUES
	('en', 1, '["es","is"]', '["is"]', 'hash'),
	('fi', 0, '[]', '[]', 'hash');

UPDATE channels SET unserved = '["fr"]', text_only = '["is"]' WHERE id = (SELECT min(id) FROM channels);
