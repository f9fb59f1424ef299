-- A channel's speaker tokens can be voided together.

ALTER TABLE channels ADD COLUMN speaker_version INTEGER NOT NULL DEFAULT 0; -- how often its speaker tokens were voided; those that are good name it
