-- SPDX-License-Identifier: GPL-3.0-or-later
-- Each line stores whether its transcript was public when it was spoken.  Existing lines of
-- events whose transcript is public now become public.
ALTER TABLE events ADD COLUMN transcript_us INTEGER NOT NULL DEFAULT 0;      -- last change of transcript; 0: never
ALTER TABLE transcript_lines ADD COLUMN public INTEGER NOT NULL DEFAULT 0;   -- 1: the event's transcript was public at that time
UPDATE transcript_lines SET public = 1 WHERE event IN (SELECT id FROM events WHERE transcript = 'public');
