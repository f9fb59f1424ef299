#!/bin/sh
# Every column of schema/*.sql has a comment on its line.  "-- sqlite" at the end of a line
# only names the database that the line is for.  From 0037 on the second line names the
# oldest programs that may run over the schema.  Run in the root of the tree.

# SPDX-License-Identifier: GPL-3.0-or-later
exec awk '
function column(name) {
	sub(/ -- sqlite$/, "")
	if (!/ -- ./) {
		printf "%s:%d: %s.%s has no comment\n", FILENAME, FNR, table, name
		bad = 1
	}
}

/^(--pg )?CREATE TABLE / {
	sub(/^--pg /, "")
	table = $3
	if (/\);/ || /STRICT/) {
		printf "%s:%d: %s: a column needs a line of its own\n", FILENAME, FNR, table
		bad = 1
	}
	next
}
/^(--pg )?ALTER TABLE .* ADD COLUMN / {
	sub(/^--pg /, "")
	table = $3
	column($6)
}
/^(--pg )?\t[a-z_0-9]+ +[A-Z]/ {
	sub(/^--pg /, "")
	column($1)
}
FNR == 2 && FILENAME >= "schema/0037" && !/^-- Serves programs from version [0-9]+ on\.$/ {
	printf "%s:2: which programs does it serve?\n", FILENAME
	bad = 1
}
END { exit bad }' schema/*.sql
