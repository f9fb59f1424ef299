-- A changed access code voids the tokens of listeners that were given before.

-- How often the code was set to another one; tokens name the number they were given at.
ALTER TABLE events ADD COLUMN code_version INTEGER NOT NULL DEFAULT 0;
