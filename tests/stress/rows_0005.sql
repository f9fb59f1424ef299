-- SPDX-License-Identifier: GPL-3.0-or-later
-- What a service of schema version 5 would have besides.

UPDATE events SET code_version = 1 WHERE access_code IS NOT NULL;
