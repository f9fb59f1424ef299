ALTER TABLE nodes ADD COLUMN ingest_host TEXT; -- its ingest.host, or empty
