-- SRT comes to a port of each channel's own; the bit rate of what comes in is kept as it changes.
ALTER TABLE channels ADD COLUMN srt_port INTEGER NOT NULL DEFAULT 0; -- UDP port of srt_push, out of ingest.srt_ports; 0: none
CREATE UNIQUE INDEX channels_srt_port ON channels (srt_port) WHERE srt_port > 0; -- one channel each
