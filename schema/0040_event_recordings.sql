-- SPDX-License-Identifier: GPL-3.0-or-later
-- Serves programs from version 37 on.
-- Recordings of all halls of an event, in order.
CREATE INDEX recordings_event ON recordings (event, account, start_us, id) WHERE event IS NOT NULL;
