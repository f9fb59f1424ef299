ALTER TABLE accounts ADD COLUMN plan_streams INTEGER; -- into and out of channels that it may have; NULL: the setting's
