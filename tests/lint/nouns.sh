#!/bin/sh
# The name of an exported function begins with a noun of its place: the name of its folder
# or file, a word of that name, or a struct or enum of the header.  Other nouns are declared
# in the header: "Nouns: mailbox, pool." The header of task_rules.c may be task.h. Needs
# objects; run in the root of the tree.

# SPDX-License-Identifier: GPL-3.0-or-later
BUILD=${BUILD:-build}

nm -A -g --defined-only "$BUILD"/lib/*/*.o | awk -v build="$BUILD/" '
BEGIN { split("store web", folders); for (i in folders) later[folders[i]] } # names that do not follow the rule yet
function known(noun) {
	nouns[noun]
	nouns[noun "s"]
	if (sub(/ies$/, "y", noun) || sub(/s$/, "", noun))
		nouns[noun]
}
function read(header,    line, noun, said, i, n) {
	while ((getline line < header) > 0) {
		if (match(line, /(struct|enum) [a-z0-9_]+/)) {
			noun = substr(line, RSTART, RLENGTH)
			sub(/.* /, "", noun)
			known(noun)
		}
		if (match(line, /Nouns: [^.]*/)) {
			n = split(substr(line, RSTART + 7, RLENGTH - 7), said, ", ")
			for (i = 1; i <= n; i++)
				known(said[i])
		}
	}
	close(header)
}
# Learn the nouns of a file of lib; false: the file is gone, or its folder comes later.
function learn(file,    folder, stem, word, run, i, k, n, line) {
	split("", nouns)
	folder = stem = file
	sub(/^lib\//, "", folder)
	sub(/\/.*/, "", folder)
	sub(/.*\//, "", stem)
	if (folder in later || (getline line < (file ".c")) < 0)
		return 0
	close(file ".c")
	known(folder)
	n = split(stem, word, "_")
	for (i = 1; i <= n; i++) {
		run = ""
		for (k = i; k <= n; k++) {
			known(run = run (k > i ? "_" : "") word[k])
			if (i == 1)
				read("lib/" folder "/" run ".h")
		}
	}
	return 1
}
{
	file = $1
	sub(/[.]o:.*/, "", file)
	file = substr(file, length(build) + 1)
	if (file != last)
		holds = learn(last = file)
	if (!holds || $2 != "T")
		next
	for (noun in nouns)
		if ($3 == noun || index($3, noun "_") == 1)
			next
	printf "%s.c: %s() bears no noun of its file\n", file, $3
	bad = 1
}
END { exit bad }'
