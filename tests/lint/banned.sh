#!/bin/sh
# Refuse forbidden calls, words and global variables.  Run in the root of the tree.  BUILD:
# folder of the objects.

# SPDX-License-Identifier: GPL-3.0-or-later
BUILD=${BUILD:-build}
bad=0

code=$(find lib cgi-bin workers -name '*.[ch]' | sort)
all=$(find . \( -path "./$BUILD" -o -path ./build -o -path ./.git -o -path ./run \
    -o -path ./tests/lint \) -prune -o -type f -print | sort)

refuse() # arguments: the report, a pattern, files
{
	what=$1 pattern=$2
	shift 2
	if grep -nIHE -- "$pattern" "$@" /dev/null; then
		echo "^ $what"
		bad=1
	fi
}

# ---- calls ----
refuse 'a banned call' \
    '(^|[^A-Za-z0-9_>.])(v?sprintf|strcpy|strcat|gets|system|popen|strtok|alloca|mktemp|tmpnam|rand)[ \t]*\(' \
    $code
# Memory belongs to arenas. Only these folders may use memory that must be freed by hand.
refuse 'free() outside its rooms: arenas, connections, what a library allocated' \
    '(^|[^A-Za-z0-9_])free[ \t]*\(' \
    $(echo "$code" | grep -vE '^lib/(base/(arena|text|token)|db/db|db/db_sqlite|db/db_pg|store/schema)[.]c$')

# ---- words ----
refuse 'unfinished work belongs in an issue' '\b(TODO|FIXME|HACK)\b' $all
refuse 'a path of one machine' '(^|[^A-Za-z0-9_.}])/(work|home|Users|root)/[a-z]' \
    $(echo "$all" | grep -vE '[.]conf$|[.]md$') # these examples contain /home/me
refuse 'a package registry' \
    '(registry[.]npmjs|pypi[.]org|files[.]pythonhosted|crates[.]io|proxy[.]golang|deb[.]debian|docker[.]io|ghcr[.]io|rubygems[.]org)' \
    $all
refuse 'names of authors belong in the history' \
    '(@author|Author:|Written by|Signed-off-by|Co-authored-by)' $all

# ---- globals: const tables are in .rodata and .data.rel.ro ----
objects=$(for source in $(echo "$code" | grep '^lib/.*[.]c$'); do
	object=$BUILD/${source%.c}.o
	[ ! -f "$object" ] || echo "$object"
done)
[ -z "$objects" ] || objdump -t $objects | awk '
/file format/ { object = $1 }
$2 ~ /^g/ && /[ \t]([.]data([.]rel([.]local)?)?|[.]bss|[.]tdata|[.]tbss|[*]COM[*])[ \t]/ ||
$3 == "*COM*" || $2 == "*COM*" {
	print object " " $NF " is mutable and has external linkage"
	bad = 1
}
END { exit bad }' || bad=1
exit $bad
