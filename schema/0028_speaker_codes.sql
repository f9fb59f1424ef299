-- SPDX-License-Identifier: GPL-3.0-or-later
-- Short addresses of speaker links.
ALTER TABLE channels ADD COLUMN speaker_link TEXT; -- HMAC of the short code that leads to the current speaker token; NULL: none
CREATE UNIQUE INDEX channels_speaker_link ON channels (speaker_link) WHERE speaker_link IS NOT NULL;
