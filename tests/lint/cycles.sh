#!/bin/sh
# Refuse circles of dependencies of any length: between objects of lib, by the symbols that
# they define and need, and between modules of web, by their imports.  BUILD: folder of the
# objects.

# SPDX-License-Identifier: GPL-3.0-or-later
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
bad=0

# circle WHAT: reads pairs "file, needed file", one per line; reports a circle.
circle() {
	files=$(tsort 2>&1 >/dev/null | sed -n 's/^tsort: \([^:]*\)$/\1/p' | sort -u | tr '\n' ' ')
	[ -z "$files" ] || {
		echo "$1: these need each other: $files"
		bad=1
	}
}

pairs=$(mktemp)
trap 'rm -f "$pairs"' EXIT
find lib -name '*.c' | sed "s|^\(.*\)\.c\$|$build/\1.o|" | while read -r object; do
	[ ! -f "$object" ] || echo "$object"
done | xargs nm -A -P | sed 's,^[^:]*/\([^/]*/[^/]*\)\.o:,\1,' | awk '
	$3 ~ /^[TDBRVC]$/ { home[$2] = $1 }
	$3 == "U" { wants[$1 " " $2] = 1 }
	END {
		for (w in wants) {
			split(w, part, " ")
			if (part[2] in home && home[part[2]] != part[1])
				print part[1], home[part[2]]
		}
	}' >"$pairs"
circle lib <"$pairs"

find web -name '*.js' -exec grep -oHE '.* from "\.[^"]*"' {} + |
    sed -nE 's|^(.*)/([^/:]*):.* from "([^"]*)"$|\1/\2 \1/\3|p' |
    sed -E ':a; s|/\./|/|; s|/[^/. ][^/ ]*/\.\./|/|; ta' >"$pairs"
circle web <"$pairs"
exit $bad
