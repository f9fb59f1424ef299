-- What is said bears whether everybody might read it then.  Of what there is, that of events which are public now stays so.
ALTER TABLE events ADD COLUMN transcript_us INTEGER NOT NULL DEFAULT 0;      -- when transcript was changed last; 0: never
ALTER TABLE transcript_lines ADD COLUMN public INTEGER NOT NULL DEFAULT 0;   -- whether its event was public when it was said
UPDATE transcript_lines SET public = 1 WHERE event IN (SELECT id FROM events WHERE transcript = 'public');
