#!/bin/sh
# An exported function begins with a noun that its place tells: the name of its folder or
# file, words of that name, or a struct or enum of the header.  Other nouns are declared
# in the header: "Nouns: mailbox, pool."  The header of field_write.c may be field.h.
# Needs objects; run in the root of the tree.
BUILD=${BUILD:-build}
later="store web" # folders that do not hold it yet

for object in "$BUILD"/lib/*/*.o; do
	file=${object#"$BUILD"/}
	file=${file%.o}
	folder=${file#lib/}
	folder=${folder%/*}
	[ -f "$file.c" ] || continue # of a file that is gone
	! echo " $later " | grep -q " $folder " || continue
	nm -g --defined-only "$object" | awk '$2 == "T" { print $3 }' >"$BUILD/nouns"
	[ -s "$BUILD/nouns" ] || continue
	for header in "lib/$folder"/*.h; do
		case ${file}_ in "${header%.h}_"*) cat "$header" ;; esac
	done | awk -v file="$file" -v folder="$folder" '
	function known(noun) {
		nouns[noun]
		nouns[noun "s"]
		if (sub(/ies$/, "y", noun) || sub(/s$/, "", noun))
			nouns[noun]
	}
	BEGIN {
		stem = file
		sub(/.*\//, "", stem)
		known(folder)
		n = split(stem, word, "_")
		for (i = 1; i <= n; i++) {
			run = ""
			for (k = i; k <= n; k++)
				known(run = run (k > i ? "_" : "") word[k])
		}
	}
	FILENAME == "-" && match($0, /(struct|enum) [a-z0-9_]+/) {
		noun = substr($0, RSTART, RLENGTH)
		sub(/.* /, "", noun)
		known(noun)
	}
	FILENAME == "-" && match($0, /Nouns: [^.]*/) {
		n = split(substr($0, RSTART + 7, RLENGTH - 7), word, ", ")
		for (i = 1; i <= n; i++)
			known(word[i])
	}
	FILENAME != "-" {
		for (noun in nouns)
			if ($0 == noun || index($0, noun "_") == 1)
				next
		printf "%s.c: %s() bears no noun of its file\n", file, $0
		bad = 1
	}
	END { exit bad }' - "$BUILD/nouns" || bad=yes
done
rm -f "$BUILD/nouns"
[ -z "${bad-}" ]
