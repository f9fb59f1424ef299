#!/bin/sh
# Every header compiles alone, and its guard is its path: lib/web/web.h has
# WEB_WEB_H, tests/unit/unit.h has TESTS_UNIT_UNIT_H or UNIT_UNIT_H.  Scripts pass shellcheck,
# where there is one.  Run in the root of the tree.
bad=0
headers=$(find lib cgi-bin workers tests bench -name '*.h' 2>/dev/null | sort)

for h in $headers; do
	guard=$(echo "${h#lib/}" | tr 'a-z/.-' 'A-Z___')
	lines=$(grep -m 2 '^#' "$h" | sed 's/ TESTS_/ /')
	if [ "$lines" != "#ifndef ${guard#TESTS_}
#define ${guard#TESTS_}" ]; then
		echo "$h: the guard must be $guard"
		bad=1
	fi
done

flags=$(pkg-config --cflags check libavcodec libavformat libavfilter libxml-2.0 pocketsphinx 2>/dev/null)
echo "$headers" | xargs -P 2 -I {} ${CC:-cc} -x c -std=c11 -D_GNU_SOURCE -Ilib -I. \
    $flags -Wall -Wextra -Werror -Wno-unused -Wno-missing-field-initializers \
    -fsyntax-only -include {} /dev/null || bad=1

if command -v shellcheck >/dev/null; then
	scripts=$(grep -rlIE '^#!/bin/(ba)?sh' cron tests bench workers .ci 2>/dev/null)
	[ -z "$scripts" ] || shellcheck -x -S warning -e SC1010,SC2046,SC2086 $scripts || bad=1
fi
exit $bad
