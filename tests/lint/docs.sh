#!/bin/sh
# Manuals and pages must describe every setting with its meaning and default, and every
# command. Links, make targets and settings that they name must exist.  Run in the root.

# SPDX-License-Identifier: GPL-3.0-or-later
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
touch "$scratch/wrong"

# report WHAT: print a breach for each line of standard input.
report() { sed "s|\$|: $1|" | tee -a "$scratch/wrong"; }

# ---- manuals: section.name|meaning|default, and the names that engines have ----
awk '
/^; Engines,/ { engines = 1; next }
engines && /^; [a-zID_.]+: / { sub(/:$/, "", $2); print "engine.ID." $2 "||" }
engines { next }
/^\[/ { gsub(/[][]/, ""); section = $0 }
/^; .* Default: / { sub(/^; /, ""); meaning = preset = $0
	sub(/.* Default: /, "", preset); sub(/ Default: .*/, "", meaning); next }
/ = / { sub(/^; /, ""); print section "." $1 "|" meaning "|" preset }' \
    tests/golden/config.txt | sort >"$scratch/settings"
awk '
function tell() {
	if (section == "engine.ID") meaning = preset = ""
	if (name) print section "." name "|" meaning "|" preset
	name = meaning = preset = ""
}
/^\.(It|El|S[sh])/ { tell() }
/^\.Ss / { section = $2 }
/^\.It Va / { name = $3 }
/^From |^At least / { next }
/^Default: / { preset = $2; next }
/^\.Ql / && / \.$/ { preset = substr($0, 5, length - 6); sub(/ Default:$/, "", meaning); next }
!/^\./ { meaning = meaning (meaning ? " " : "") $0 }' docs/man/dragoman.conf.5 |
    sort >"$scratch/manual"
diff "$scratch/settings" "$scratch/manual" | sed -n 's/^< //p' |
    report 'dragoman.conf(5) does not say so'
diff "$scratch/settings" "$scratch/manual" | sed -n 's/^> //p' |
    report 'only dragoman.conf(5) says so'
sed -n 's/^	{ "\([a-z ]*\)", .*[BF] },$/\1/p' workers/dragoman.c | while read -r command; do
	grep -q "^\.It Ic $command\( \|$\)" docs/man/dragoman.1 || echo "$command"
done | report 'dragoman(1) does not know this command'
sed -n '/known_scopes/,/NULL/p' lib/base/token.c | grep -oE '"[^" ]+"' | tr -d '"' | while read -r scope; do
	grep -qxF ".Ql $scope" docs/man/dragoman.1 ||
	    grep -qE "^\.Ql $scope [,;]$" docs/man/dragoman.1 || echo "$scope"
done | report 'dragoman(1) does not know this scope'
if command -v mandoc >/dev/null; then
	mandoc -T lint docs/man/*.[1-8] 2>&1 | grep -vE 'manual not found|outdated' |
	    report 'mandoc says so'
fi

# ---- pages; each line is "page what" ----
found() { grep -oE "$1" README.md docs/*.md | sed 's/:/ /; s/\.md [](` ]*/.md /' | sort -u; }

# unknown FILE: print the lines of standard input whose last word is not a line of FILE.
unknown() { awk -v known="$1" 'BEGIN { while ((getline line < known) > 0) is[line] } !($NF in is)'; }

{
	find README.md CHANGES LICENSE SECURITY.md docs -type f
	awk '/^#+ / { sub(/^#+ /, ""); gsub(/ /, "-"); gsub(/[^A-Za-z0-9_-]/, ""); print FILENAME "#" tolower($0) }' \
	    README.md docs/*.md
} >"$scratch/places"
found '\]\([^) ]*' | grep -v '://' | awk '{
	to = $2
	if (to ~ /^#/) to = $1 to
	else if ($1 ~ /^docs/ && !sub(/^\.\.\//, "", to)) to = "docs/" to
	print $0, to }' | unknown "$scratch/places" | report 'the link leads nowhere'
awk -F: '/^[a-z -]+:/ { gsub(/ +/, "\n", $1); print $1 }' Makefile >"$scratch/targets"
found '(`|^    )make [a-z-]+' | unknown "$scratch/targets" | report 'there is no such target'
cut -d '|' -f 1 "$scratch/settings" >"$scratch/names"
found '`('"$(cut -d. -f1 "$scratch/settings" | sort -u | paste -sd '|')"')\.[a-z_0-9]+[` ]' |
    tr -d '`' | sed 's/ $//' | unknown "$scratch/names" | while read -r page name; do
	[ "${name%.c}" != "$name" ] ||
	    grep -rqF "\"$name" lib workers lighttpd.conf || echo "$page $name"
done | report 'there is no such setting'

# ---- lines have at most 100 columns, but for tables, code and parts that are generated ----
LC_ALL=C awk '
FNR == 1 { fence = made = code = 0; blank = 1 }
/^<!-- made: / { made = !/ end / }
/^ *```/ { fence = !fence }
{
	code = /^    / && (blank || code)
	blank = /^ *$/
	gsub(/[\200-\277]/, "") # drop all but the first byte of each character
}
length > 100 && !fence && !made && !code && !/^ *\|/ { print FILENAME ":" FNR }' \
    README.md CHANGES SECURITY.md docs/*.md | report 'the line has more than 100 columns'

# ---- the version of the programs and descriptions is the first one of CHANGES ----
release=$(grep -m 1 -oE '^[0-9]+\.[0-9]+' CHANGES)
{
	sed -n 's/^#define VERSION "\(.*\)"$/lib\/base\/version.h \1/p' lib/base/version.h
	for file in web/openapi.json web/asyncapi.json; do
		[ ! -e $file ] || jq -r --arg file $file '"\($file) \(.info.version)"' $file
	done
} | grep -vE " $release\$" | report "the first version of CHANGES is $release"

# ---- docs/dependencies.md: what the Makefile links and tests/packages installs ----
{
	sed -n '/^PKGS *=/,/[^\]$/p; s/^LIBS *=.*$(PKG_L)//p; s/^CHECK_L .*--libs \([^)]*\).*/\1/p' Makefile |
		tr -s ' \t\\' '\n' | sed 's/^-l//' | grep -vxE 'PKGS|=|m|'
	tr '\n\t' '  ' <tests/packages | grep -oE "(run|test|wanted)=('[^']*'|\"[^\"]*\")" |
		sed "s/^[a-z]*=//; s/[\"']//g" | tr -s ' ' '\n' | grep -vE '^\$|^$'
} | sort -u >"$scratch/needed"
awk -F'|' '/^\|/ { print $3 }' docs/dependencies.md | grep -oE '`[^`]+`' | tr -d '`' | sort -u >"$scratch/rows"
comm -13 "$scratch/rows" "$scratch/needed" | report 'docs/dependencies.md does not have it'
comm -23 "$scratch/rows" "$scratch/needed" |
    report 'neither Makefile nor tests/packages has it, but docs/dependencies.md'

# ---- files and tests that the developers' pages name ----
grep -noE '`(lib|cgi-bin|workers|tests|cron|schema|web)/[^` ]*`' docs/contributing.md docs/architecture.md \
    docs/dependencies.md | tr -d '`' | while IFS=: read -r page _ path; do
	# shellcheck disable=SC2086 # the name may be a pattern
	ls -d $path >/dev/null 2>&1 || echo "$page $path"
done | report 'there is no such file'
grep -oE '[a-z_-]+/[a-z0-9_*]+\.[ch]\b' docs/architecture.md | while read -r path; do
	for file in $path lib/$path; do # the name may be a pattern
		[ ! -e "$file" ] || continue 2
	done
	echo "docs/architecture.md $path"
done | report 'there is no such file'
grep -hoE 'tests/unit/[a-z_]+\.c`: `[a-z_]+' docs/contributing.md | sed 's/`: `/ /' | while read -r file name; do
	grep -qF "START_TEST($name)" "$file" || echo "$file $name"
done | report 'there is no such test'

# ---- docs/streaming.md: messages, errors, warnings and closes ----
grep -rhoE 'begin(_flat|_stt)?\(b, "[a-z_]+"|"[A-Z_]{8,24}"|, 1[0-9]{3}, "[a-z ]+"' \
    lib/session lib/channel lib/pipeline lib/protocol lib/bridge lib/gateway lib/server |
    grep -oE '"[^"]+"$' | tr '"' '`' | grep -v '^`HTTP_' | sort -u >"$scratch/words"
grep -oFf "$scratch/words" docs/streaming.md | sort -u | comm -13 - "$scratch/words" |
    tr -d '`' | report 'docs/streaming.md does not know it'

# ---- docs/webhooks.md: types of messages ----
sed -n '/^const char \*const webhook_events/,/;/p' lib/store/webhooks.c |
    grep -oE '[a-z_]+[.][a-z]+' | while read -r type; do
	grep -qF "\`$type\`" docs/webhooks.md || echo "$type"
done | report 'docs/webhooks.md does not know it'
[ ! -s "$scratch/wrong" ]
