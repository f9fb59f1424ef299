-- SPDX-License-Identifier: GPL-3.0-or-later
-- Additional rows of a service with schema version 5.

UPDATE events SET code_version = 1 WHERE access_code IS NOT NULL;
