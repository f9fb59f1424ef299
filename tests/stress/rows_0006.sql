-- SPDX-License-Identifier: GPL-3.0-or-later
-- What a service of schema version 6 would have besides.

INSERT INTO served_languages (source, heard, targets, text_only, settings) VALUES
	('en', 1, '["es","is"]', '["is"]', 'hash'),
	('fi', 0, '[]', '[]', 'hash');

UPDATE channels SET unserved = '["fr"]', text_only = '["is"]' WHERE id = (SELECT min(id) FROM channels);
