#!/bin/sh
# Limit the length of functions and files.  A function goes from a { in column 0 to the } in
# column 0, both counted.  Run in the root of the tree.

# SPDX-License-Identifier: GPL-3.0-or-later
LONGEST=60 MEDIAN=12 P90=30 FILE=800 PARAMETERS=6

measure() # arguments: name, files; prints figures of one group
{
	name=$1
	shift
	awk -v longest=$LONGEST -v file=$FILE -v parameters=$PARAMETERS '
	function breach(what) {
		printf "%s: %s\n", FILENAME ":" FNR, what > "/dev/stderr"
	}
	# Count the parameters: commas at the first depth of the last
	# parentheses.
	function count(head,    i, c, depth, n) {
		n = head ~ /\((void)?\)[ \t]*$/ ? 0 : 1
		for (i = index(head, "("); i <= length(head); i++) {
			c = substr(head, i, 1)
			depth += c == "(" ? 1 : c == ")" ? -1 : 0
			n += c == "," && depth == 1
		}
		return n
	}
	FNR == 1 { head = ""; inside = 0 }
	FNR == file + 1 { breach("the file has over " file " lines") }
	/^[A-Za-z_]/ && !inside { head = $0; is = $0; next }
	/^{/ && !inside {
		inside = FNR
		sub(/\(.*/, "", is)
		if (head !~ /^START_TEST/ && count(head) > parameters)
			breach(is " takes over " parameters " parameters")
		next
	}
	/^}/ && inside {
		n = FNR - inside + 1
		if (n > longest)
			breach(is " has " n " lines")
		print n, FILENAME, is
		inside = 0
		next
	}
	!inside { head = head " " $0 }
	' "$@" | sort -n | awk -v name="$name" -v median=$MEDIAN -v p90=$P90 '
	{ n[NR] = $1; last = $3 " in " $2 }
	END {
		m = n[int((NR + 1) / 2)]
		p = n[int(NR * 0.9 + 0.999)]
		printf "%s: %d functions, median %d, p90 %d, longest %d (%s)\n",
		    name, NR, m, p, n[NR], last
		if (m > median)
			print name ": the median is over " median > "/dev/stderr"
		if (p > p90)
			print name ": the 90th percentile is over " p90 > "/dev/stderr"
	}'
}

complaints=$(mktemp)
trap 'rm -f "$complaints"' EXIT
{
	measure product $(find lib cgi-bin workers -name '*.[ch]')
	measure tests $(find tests bench -name '*.[ch]' 2>/dev/null)
} 2>"$complaints"
cat "$complaints"
[ ! -s "$complaints" ]
