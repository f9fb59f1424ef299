-- Terms as tasks read them: of each row the term and, behind U+001F, what stands in
-- its place; then U+001E.  What is there is CSV and is written anew by `dragoman
-- migrate` in the same transaction (lib/store/schema.c).

ALTER TABLE glossary_terms RENAME COLUMN csv TO terms;
