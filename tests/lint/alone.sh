#!/bin/sh
# Every header compiles alone.  A header that its own .c file includes first is checked by
# the build; this script compiles the others.  QUICK: only those of the product.  Run in the
# root of the tree.

# SPDX-License-Identifier: GPL-3.0-or-later
bad=0
tests=$([ -n "${QUICK:-}" ] || echo tests bench)
headers=$(find lib cgi-bin workers $tests -name '*.h' 2>/dev/null | sort)

# List the headers that no source file includes first.
alone() {
	awk '
	{
		source = name = $0
		sub(/h$/, "c", source)
		sub(/^lib\//, "", name)
		line = ""
		while ((getline line < source) > 0 && line !~ /^#include/)
			;
		close(source)
		if (line != "#include \"" name "\"")
			print
	}'
}

flags=$(pkg-config --cflags check libavcodec libavformat libavfilter libxml-2.0 pocketsphinx 2>/dev/null)
echo "$headers" | alone | xargs -P 2 -I {} ${CC:-cc} -x c -std=c11 -D_GNU_SOURCE -Ilib -I. \
    $flags -Wall -Wextra -Werror -Wno-unused -Wno-missing-field-initializers \
    -fsyntax-only -include {} /dev/null || bad=1
exit $bad
