#!/bin/sh
# The guard of each header is its path: lib/web/web.h has WEB_WEB_H, tests/unit/unit.h has
# TESTS_UNIT_UNIT_H or UNIT_UNIT_H.  Scripts pass shellcheck, if it is installed.  Run in
# the root of the tree.

# SPDX-License-Identifier: GPL-3.0-or-later
bad=0
headers=$(find lib cgi-bin workers tests bench -name '*.h' 2>/dev/null | sort)

# shellcheck disable=SC2086 # a list of words
awk '
function end() {
	if (file != "" && lines < 2) {
		printf "%s: the guard must be %s\n", file, guard
		bad = 1
	}
}
FNR == 1 {
	end()
	lines = 0
	file = FILENAME
	guard = FILENAME
	sub(/^lib\//, "", guard)
	guard = toupper(guard)
	gsub(/[\/.-]/, "_", guard)
	sub(/^TESTS_/, "", guard)
}
/^#/ && lines++ < 2 {
	sub(/ TESTS_/, " ")
	if ($0 != (lines == 1 ? "#ifndef " : "#define ") guard) {
		printf "%s: the guard must be %s\n", FILENAME, guard
		bad = 1
		lines = 2
	}
}
END { end(); exit bad }' $headers || bad=1

if command -v shellcheck >/dev/null; then
	scripts=$(grep -rlIE '^#!/bin/(ba)?sh' cron tests bench workers .ci 2>/dev/null)
	[ -z "$scripts" ] || shellcheck -x -S warning -e SC1010,SC2046,SC2086 $scripts || bad=1
fi
exit $bad
