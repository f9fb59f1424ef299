-- SPDX-License-Identifier: GPL-3.0-or-later
-- A change of the access code invalidates the tokens that listeners got before.

ALTER TABLE events ADD COLUMN code_version INTEGER NOT NULL DEFAULT 0; -- number of changes of access_code; tokens contain it
