-- SPDX-License-Identifier: GPL-3.0-or-later
-- Terms as tasks read them: for each row the term, U+001F and its replacement if there is
-- one, and U+001E.  `dragoman migrate` converts the CSV in the same transaction
-- (lib/store/schema.c).

ALTER TABLE glossary_terms RENAME COLUMN csv TO terms;
