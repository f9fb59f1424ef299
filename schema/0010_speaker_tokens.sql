-- SPDX-License-Identifier: GPL-3.0-or-later
-- All speaker tokens of a channel can be invalidated at once.

ALTER TABLE channels ADD COLUMN speaker_version INTEGER NOT NULL DEFAULT 0; -- number of times its speaker tokens were invalidated; valid tokens contain it
