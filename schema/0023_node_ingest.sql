ALTER TABLE nodes ADD COLUMN ingest_host TEXT; -- its ingest.host, where it is set
