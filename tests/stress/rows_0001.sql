-- SPDX-License-Identifier: GPL-3.0-or-later
-- Rows of a service with schema version 1: two accounts with records of every kind, and
-- enough further rows that a migration takes some time.

INSERT INTO accounts (id, name, status, created_us, stored_bytes, plan_voices, plan_requests_per_min) VALUES
	('11111111-1111-4111-8111-111111111111', 'Ünïcode & Söhne', 'active', 1700000000000000, 300000, NULL, 0),
	('22222222-2222-4222-8222-222222222222', 'suspended', 'suspended', 1700000000000001, 0, 5, NULL);
INSERT INTO credentials (id, account, kind, hash, scopes, label, created_us, revoked_us) VALUES
	('33333333-3333-4333-8333-333333333333', '11111111-1111-4111-8111-111111111111', 'key', 'aa', '*', '', 1, NULL),
	('44444444-4444-4444-8444-444444444444', '22222222-2222-4222-8222-222222222222', 'pair', 'bb', 'voices:read', 'old', 1, 2);
INSERT INTO ledger (id, account, kind, amount_micro, reference, created_us) VALUES
	('l1', '11111111-1111-4111-8111-111111111111', 'grant', 1000000000, 'start', 1),
	('l2', '11111111-1111-4111-8111-111111111111', 'usage', -8333, 'first', 2),
	('l3', '22222222-2222-4222-8222-222222222222', 'correction', -5, 'debt', 3);
INSERT INTO answers (account, route, key, body_hash, status, head, body, expires_us) VALUES
	('11111111-1111-4111-8111-111111111111', 'POST /saas/voice/clone', 'k', 'h', 200, 'A: b', '{"ok":true}', 1900000000000000);
INSERT INTO jobs (id, kind, account, ref, state, due_us, lease_key, holder, tries, error, created_us) VALUES
	('j1', 'voice.clone', '11111111-1111-4111-8111-111111111111', 'v2', 'ready', 1, NULL, NULL, 0, NULL, 1),
	('j2', 'blob.check', '11111111-1111-4111-8111-111111111111', 'b3', 'leased', 2, 'k', 'host/blob_check', 2, 'it failed', 1),
	('j3', 'voice.clone', NULL, 'v0', 'dead', 3, NULL, NULL, 6, 'too often', 1);
INSERT INTO workers (name, last_run_us, failures) VALUES ('janitor', 1700000000000000, 3);
INSERT INTO chores (name, last_run_us) VALUES ('janitor: sweep files', 1700000000000000);
INSERT INTO blobs (id, account, kind, state, mime_type, filename, display_name, description, voice, min_bytes, max_bytes, file, bytes, sha256, created_us, stored_us) VALUES
	('b1', '11111111-1111-4111-8111-111111111111', 'voice_sample', 'checked', 'audio/wav', 'a "1".wav', 'Ä', NULL, 'v1', 100001, 9999999, 'b1-00', 200000, 'cc', 1, 2),
	('b2', '11111111-1111-4111-8111-111111111111', 'tts_sample', 'checked', 'audio/wav', 't.wav', NULL, NULL, 'v1', 1, 2, 'b2-00', 50000, 'dd', 1, 2),
	('b3', '11111111-1111-4111-8111-111111111111', 'upload', 'stored', 'audio/mpeg', 'u.mp3', NULL, 'd', NULL, 100001, 9999999, 'b3-00', 50000, 'ee', 1, 2),
	('b4', '11111111-1111-4111-8111-111111111111', 'upload', 'awaiting', 'audio/mpeg', 'w.mp3', NULL, NULL, NULL, 100001, 9999999, NULL, NULL, NULL, 1, NULL);
INSERT INTO voices (id, account, created_us, updated_us, name, description, folded, status, warnings, gender, lang, attributes, hidden, denoise, normalise, sample, own_voice) VALUES
	('v1', '11111111-1111-4111-8111-111111111111', 1700000000000000, 1700000000000001, 'Anna (stage)', 'höher', 'anna (stage) hoher', 'ready', 'sample-short	It is.', 'Female', 'en-us', '["a","b"]', 0, 1, 1, 'b1', '{"pitch":1}'),
	('v2', '11111111-1111-4111-8111-111111111111', 1700000000000002, 1700000000000002, 'Hidden', NULL, 'hidden', 'pending', '', NULL, 'auto', '[]', 1, 0, 0, NULL, NULL),
	('v3', NULL, 1, 1, 'Built in', NULL, 'built in', 'ready', '', NULL, 'de', '[]', 0, 0, 0, NULL, NULL);
INSERT INTO tts_samples (id, voice, account, created_us, provider, format, codec, duration_s, mime_type, content, lang, model, filename) VALUES
	('b2', 'v1', '11111111-1111-4111-8111-111111111111', 2, 'own_provider', 'wav', 'pcm_s16le', 1.25, 'audio/wav', 'Hello.', 'en-us', 'espeak', 't.wav');
INSERT INTO favorites (account, voice) VALUES
	('11111111-1111-4111-8111-111111111111', 'v1'),
	('11111111-1111-4111-8111-111111111111', 'v3');

INSERT INTO accounts (id, name, status, created_us)
	WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 1000)
	SELECT 'many ' || i, 'Account ' || i, 'active', i FROM n;
INSERT INTO ledger (id, account, kind, amount_micro, reference, created_us)
	WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 20000)
	SELECT 'entry ' || i, 'many ' || (1 + i % 1000), 'usage', 7 - i, 'use ' || i, i FROM n;
