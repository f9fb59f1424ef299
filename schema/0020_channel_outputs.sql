-- What became of outputs is kept of all that this service makes, not of captions alone.
ALTER TABLE caption_outputs RENAME TO channel_outputs;
ALTER TABLE channel_outputs ADD COLUMN bitrate REAL; -- bit/s that go out; NULL: not known
