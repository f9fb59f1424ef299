-- SPDX-License-Identifier: GPL-3.0-or-later
-- Webhooks whose messages a client fetches, such as a developer's laptop.
ALTER TABLE webhooks ADD COLUMN pulled INTEGER NOT NULL DEFAULT 0; -- 1: no worker sends its messages
