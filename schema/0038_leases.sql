-- SPDX-License-Identifier: GPL-3.0-or-later
-- Serves programs from version 37 on.
-- A channel has one owner at a time, for the time of a lease.

ALTER TABLE channels ADD COLUMN epoch INTEGER NOT NULL DEFAULT 0;          -- grows each time a node takes the channel
ALTER TABLE channels ADD COLUMN taken_us INTEGER NOT NULL DEFAULT 0;       -- when it was taken, by the clock of the database
ALTER TABLE channels ADD COLUMN lease_until_us INTEGER NOT NULL DEFAULT 0; -- until then node owns it, by the same clock; 0: no lease
ALTER TABLE channels ADD COLUMN handed_to TEXT;                            -- the node that gets it from its owner; '': any; NULL: the owner keeps it
ALTER TABLE nodes ADD COLUMN host TEXT;                                    -- mark of the machine that runs it; NULL: from before 0.9
