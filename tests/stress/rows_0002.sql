-- SPDX-License-Identifier: GPL-3.0-or-later
-- Additional rows of a service with schema version 2.

INSERT INTO glossaries (id, account, created_us, updated_us, version, name, enabled, type, source_lang, target_lang, status, entries, faults, blob) VALUES
	('g1', '11111111-1111-4111-8111-111111111111', 1, 2, 3, 'Terms', 1, 'translation', 'en', 'es', 'ready', 2, '', 'b9'),
	('g2', '11111111-1111-4111-8111-111111111111', 1, 2, 1, 'Names', 0, 'asr_hot', 'de', NULL, 'failed', 0, '1	2	csv-empty-term	Nothing.', NULL);
INSERT INTO glossary_terms (glossary, csv) VALUES ('g1', 'stage,escenario
"a, b",c
');
INSERT INTO events (seq, id, account, created_us, updated_us, version, title, description, type, location, timezone, start_us, end_us, recurring, cover_key, cover_blob, access_code, languages, listener_mode, room_suffix, channels_ready, channels_active, finished_us, agenda) VALUES
	(7, 'e1', '11111111-1111-4111-8111-111111111111', 1, 2, 4, 'Größe', 'A conference', 'in-person', 'Wien', 'Europe/Vienna', 10, 20, 0, NULL, NULL, 'secret', '["es","de"]', 'auto', 'abcd', 1, 0, NULL, '[{"title":"One"}]'),
	(9, 'e2', '22222222-2222-4222-8222-222222222222', 1, 2, 1, 'Over', NULL, 'online', NULL, NULL, 10, 20, 1, NULL, NULL, NULL, '[]', 'off', 'efgh', 0, 0, 30, '[]');
INSERT INTO event_texts (rowid, folded) VALUES (7, 'grosse a conference'), (9, 'over');
INSERT INTO stages (id, event, position, name, greenscreen, created_us, updated_us) VALUES
	('s1', 'e1', 0, 'Main', '{"color":"#00ff00"}', 1, 1), ('s2', 'e1', 1, 'Side', NULL, 1, 1);
INSERT INTO bundles (event, maker, hash, body) VALUES ('e1', 'm', 'h', '"title":"x"');
INSERT INTO requests (id, event, type, channel, language, status, asked, reason, first_us, decided_us) VALUES
	('r1', 'e1', 'add_language', '', 'fr', 'pending', 2, NULL, 1, NULL),
	('r2', 'e1', 'add_language', 'c1', 'it', 'rejected', 1, 'no budget', 1, 2);
INSERT INTO askers (event, request, listener) VALUES ('e1', 'r1', 'x'), ('e1', 'r1', 'y');
INSERT INTO joins (event, listener, language) VALUES ('e1', 'x', 'es'), ('e1', 'y', 'original');
INSERT INTO heard (event, language, participants) VALUES ('e1', 'es', 1), ('e1', 'original', 1);
INSERT INTO event_stats (event, participants, streamed_us, used_micro, active_us, changed_us, csv) VALUES
	('e1', 2, 60000000, 8333, 5, NULL, 'language,participants
es,1
'), ('e2', 0, 0, 0, NULL, NULL, NULL);
INSERT INTO channels (id, account, created_us, updated_us, type, event, stage, room_suffix, lifecycle, runtime, attempt, held, broadcast, name, input_type, input_url, stream_key, source_language, target_languages, region, ignore_video, original_delay_s, original_volume, audio_settings, outputs, pipeline, input_bitrate, error) VALUES
	('c1', '11111111-1111-4111-8111-111111111111', 1, 1, 'event', 'e1', 's1', 'abcd', 'ready', 'pending', 1, 1, 'dgm-c1-1', 'Main', 'webrtc', NULL, NULL, 'en', '["es"]', 'eu', 0, 0.5, 0.25, NULL, '[]', NULL, NULL, NULL),
	('c2', '22222222-2222-4222-8222-222222222222', 1, 1, 'standalone', NULL, NULL, NULL, 'failed', NULL, 12, 0, NULL, 'Alone', 'hls_pull', 'https://e.example/x', NULL, 'de', '["en","fr"]', 'us', 1, 0, 1, '{"a":1}', '[{"b":2}]', '{"c":3}', 128.5, 'refused');
INSERT INTO ledger (id, account, kind, amount_micro, reference, created_us, event) VALUES
	('l4', '11111111-1111-4111-8111-111111111111', 'usage', -77, 'at the event', 4, 'e1');
