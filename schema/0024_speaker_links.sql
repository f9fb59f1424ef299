-- The channel's current speaker link: the same token for every reader of it.
ALTER TABLE channels ADD COLUMN speaker_made_us INTEGER; -- when its speaker token was made; NULL: there is none
