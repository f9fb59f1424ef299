-- SPDX-License-Identifier: GPL-3.0-or-later
-- The state of all outputs that this service makes is stored, not only of captions.
ALTER TABLE caption_outputs RENAME TO channel_outputs;
ALTER TABLE channel_outputs ADD COLUMN bitrate REAL; -- bit/s sent; NULL: unknown
