-- SPDX-License-Identifier: GPL-3.0-or-later
-- Access codes of events, stream keys, addresses and outputs of channels, and addresses and
-- messages of webhooks are encrypted.  The program that applies this file encrypts the
-- existing ones.
ALTER TABLE channels ADD COLUMN output_processes INTEGER NOT NULL DEFAULT 0; -- processes of the gateway for its outputs
