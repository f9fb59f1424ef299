-- Access codes of events, stream keys, addresses and outputs of channels, addresses of webhooks
-- and what is sent to them are encrypted.  The program that applies this file encrypts those
-- that are there.
ALTER TABLE channels ADD COLUMN output_processes INTEGER NOT NULL DEFAULT 0; -- of the gateway, that its outputs need
