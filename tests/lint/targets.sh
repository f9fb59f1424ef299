#!/bin/sh
# Every test target of the Makefile is run by `make check` or, in a short form, by `make
# nightly`, so that no target can break unnoticed.  Run in the root.

# SPDX-License-Identifier: GPL-3.0-or-later
check='check test-programs unit system lint golden servers e2e'
stress='upgrade backup disk-full overload endure frames fuzz-frames' # and former names
others='all nightly dist deb pictures run install deps clean FORCE'

awk -v known="$check $stress $others" '
BEGIN { n = split(known, w); for (i = 1; i <= n; i++) run[w[i]] = 1 }
/^NIGHTLY = / || /^\.PHONY: / { list = $1 }
list != "" {
	for (i = 1; i <= NF; i++)
		if (list == "NIGHTLY") run[$i] = 1; else target[$i] = 1
	if ($NF != "\\") list = ""
}
END {
	for (t in target)
		if (!(t in run) && t ~ /^[a-z]/) {
			print "Makefile: neither check nor nightly runs " t
			wrong = 1
		}
	exit wrong
}' Makefile
