-- SPDX-License-Identifier: GPL-3.0-or-later
-- Moderation of channels: a delay of their texts, words that are masked, and a stop.
ALTER TABLE channels ADD COLUMN hold_s INTEGER NOT NULL DEFAULT 0;           -- seconds for which final texts wait
ALTER TABLE channels ADD COLUMN blocked_words TEXT NOT NULL DEFAULT '[]';    -- JSON array of words to mask
ALTER TABLE channels ADD COLUMN stopped_us INTEGER;                          -- when it was stopped; NULL: it is not
CREATE INDEX channels_stopped ON channels (id) WHERE stopped_us IS NOT NULL;
