-- SPDX-License-Identifier: GPL-3.0-or-later
-- Serves programs from version 36 on.
-- Several releases over one database, and hosts that are emptied.

ALTER TABLE schema_versions ADD COLUMN oldest INTEGER; -- the oldest program that may run over it, by the version it needs; NULL: only this one
ALTER TABLE nodes ADD COLUMN draining_us INTEGER;      -- when it was told to take no new channels; NULL: it takes them
ALTER TABLE nodes ADD COLUMN version TEXT;             -- of its gateway's program; NULL: from before 0.9
ALTER TABLE nodes ADD COLUMN schema_version INTEGER;   -- that this program needs
