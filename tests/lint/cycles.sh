#!/bin/sh
# No file needs another of its folder that needs it back, however long the way around:
# by what their objects define and want.  BUILD: where these are.
cd "$(dirname "$0")/../.." || exit 1
build=${BUILD:-build}
bad=0
for folder in lib/*/; do
	objects=$(for c in "$folder"*.c; do
		[ ! -f "$build/${c%.c}.o" ] || echo "$build/${c%.c}.o"
	done)
	[ -n "$objects" ] || continue
	# shellcheck disable=SC2086 # a list of words
	circle=$(nm -A -P $objects | sed 's,^[^:]*/\([^/]*\)\.o:,\1,' | awk '
		$3 ~ /^[TDBRVC]$/ { home[$2] = $1 }
		$3 == "U" { wants[$1 " " $2] = 1 }
		END {
			for (w in wants) {
				split(w, part, " ")
				if (part[2] in home && home[part[2]] != part[1])
					print part[1], home[part[2]]
			}
		}' | tsort 2>&1 >/dev/null | sed -n 's/^tsort: \([^:]*\)$/\1/p' | sort -u | tr '\n' ' ')
	[ -z "$circle" ] || {
		echo "$folder: these need each other: $circle"
		bad=1
	}
done
exit $bad
