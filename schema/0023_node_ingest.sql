-- SPDX-License-Identifier: GPL-3.0-or-later
ALTER TABLE nodes ADD COLUMN ingest_host TEXT; -- its ingest.host, or empty
