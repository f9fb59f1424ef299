-- SPDX-License-Identifier: GPL-3.0-or-later
-- The current speaker link of a channel: every reader gets the same token.
ALTER TABLE channels ADD COLUMN speaker_made_us INTEGER; -- creation time of the current speaker token; NULL: none
