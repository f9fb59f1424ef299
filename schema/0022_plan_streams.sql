ALTER TABLE accounts ADD COLUMN plan_streams INTEGER; -- channels with streams it may have; NULL: the setting's
