-- SPDX-License-Identifier: GPL-3.0-or-later
-- Each channel with SRT input has its own port.
ALTER TABLE channels ADD COLUMN srt_port INTEGER NOT NULL DEFAULT 0; -- UDP port for srt_push, from ingest.srt_ports; 0: none
CREATE UNIQUE INDEX channels_srt_port ON channels (srt_port) WHERE srt_port > 0; -- one channel each
