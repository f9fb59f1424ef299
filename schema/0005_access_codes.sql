-- A changed access code voids the tokens of listeners that were given before.

ALTER TABLE events ADD COLUMN code_version INTEGER NOT NULL DEFAULT 0; -- changes of access_code so far; tokens name the one they were given at
