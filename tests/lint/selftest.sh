#!/bin/sh
# Prove that every rule is enforced: break each rule on purpose in a copy of some files; its
# script must report that.  QUICK: one way for each rule.  Run in the root of the tree.

# SPDX-License-Identifier: GPL-3.0-or-later
here=$PWD
scratch=$here/${BUILD:-build}/lint-selftest
bad=0 rules=0 seen=

rm -rf "$scratch"
mkdir -p "$scratch/cgi-bin" "$scratch/workers" "$scratch/tests" "$scratch/build/lib/base"
mkdir -p "$scratch/lib/speech" "$scratch/lib/service" "$scratch/lib/blob"
cp -r lib/db lib/store lib/web lib/work "$scratch/lib"
cp -r lib/base "$scratch/lib"
cp .clang-format "$scratch"
cp -r tests/lint tests/golden "$scratch/tests"
cp -r cron schema docs README.md CHANGES SECURITY.md Makefile LICENSE lighttpd.conf "$scratch"
cd "$scratch" || exit 1
unset BUILD

# Run a script: it must fail with this report.
expect() # arguments: script, pattern
{
	case " $seen " in
	*" $1 "*) [ -z "${QUICK:-}" ] || return 0 ;;
	esac
	seen="$seen $1"
	rules=$((rules + 1))
	if out=$(sh tests/lint/"$1".sh 2>&1); then
		echo "selftest: $1 did not notice: $2"
		bad=1
	elif ! echo "$out" | grep -qE -- "$2"; then
		echo "selftest: $1 should say: $2"
		echo "$out" | head -n 5
		bad=1
	fi
}

# Append a line to a file, expect the report of the breach, remove the line.
breaks() # arguments: script, pattern, file, line
{
	[ ! -f "$3" ] || cp "$3" "$scratch/saved"
	mkdir -p "$(dirname "$3")"
	printf '%s\n' "$4" >>"$3"
	expect "$1" "$2"
	rm -f "$3"
	[ ! -f "$scratch/saved" ] || mv "$scratch/saved" "$3"
}

lines() # arguments: count, text
{
	awk -v n="$1" -v text="$2" 'BEGIN { while (n-- > 0) print text }'
}

# The unchanged copy passes.
for script in layers banned; do
	sh tests/lint/$script.sh || bad=1
done

include() # arguments: file, header; layers.sh must refuse the include
{
	breaks layers "may not include|at home|no room|no layer" "$1" "#include $2"
}

include lib/base/id.c '"db/db.h"'
include lib/db/db.c '"store/accounts.h"'
include lib/store/voices.c '"web/web.h"'
include lib/web/reply.c '"store/voices.h"'
include lib/work/work.c '"store/voices.h"'
include lib/work/work.c '"web/web.h"'
include lib/blob/x.c '"db/db.h"'
include lib/speech/x.c '"store/voices.h"'
include lib/service/x.c '"web/web.h"'
include lib/base/id.c '"../cgi-bin/voices.c"'
include workers/x.c '"workers/y.h"'
include lib/store/voices.c '<sqlite3.h>'
include lib/base/id.c '<jansson.h>'
include cgi-bin/x.c '<curl/curl.h>'
include lib/base/id.c '<openssl/evp.h>'
include lib/base/id.c '<libavcodec/avcodec.h>'
include lib/base/id.c '<gtk/gtk.h>'
include lib/gateway/x.c '"session/session.h"'
include lib/session/x.c '"channel/transcript.h"'
for folder in gateway pipeline session channel participant broadcast; do
	include lib/$folder/x.c '"bridge/rtp_bridge.h"'
done
include lib/bridge/x.c '"store/sessions.h"'
include lib/novel/x.c '"base/err.h"'
breaks layers 'SQL stands' cgi-bin/x.c 'static const char *q = "SELECT id FROM voices";'
breaks layers 'SQL stands' lib/web/page.c '	"DELETE FROM voices WHERE id = $1"'
breaks layers 'SQL stands' lib/db/db.c '	"SELECT id FROM voices"'
breaks layers 'pragmas' lib/store/voices.c '	"PRAGMA user_version"'

breaks licence 'lib/base/x.c: no SPDX line' lib/base/x.c 'int x;'

breaks words 'was given up: session' lib/session/session.c 'struct room;'
breaks words 'name the thing' workers/x.c '/* Nobody waits for it. */'
breaks words 'name the thing' tests/x '# Whoever calls.'
breaks words 'name the thing' docs/x.md 'Nobody waits.'
breaks words 'name the thing' tests/x.c 'START_TEST(who_comes_is_heard)'
breaks words 'name what the comment refers to' lib/base/x.h '/* The same for a list. */'
breaks words 'a comment needs a subject' lib/base/x.h 'int n; /* of the last frame */'
breaks words 'no blank after the star' lib/base/x.h '/* One
 *two. */'
breaks words 'was given up: gateway' tests/x.c 'struct gate;'
breaks words 'was given up: recognizer' lib/pipeline/recognizer.c 'void ears_end(void);'
mkdir -p web/docs lib/left lib/right build/lib/left build/lib/right # the same symbol in two folders
for pair in 'left right' 'right left'; do
	is=${pair% *} other=${pair#* }
	echo "int $other(void); int $is(void) { return $other(); }" >"lib/$is/$is.c"
	${CC:-cc} -c "lib/$is/$is.c" -o "build/lib/$is/$is.o"
done
expect cycles 'lib: these need each other: left/left right/right'
rm -r lib/left lib/right build/lib/left build/lib/right
for pair in 'left right' 'right left'; do
	echo "import { x } from \"./${pair#* }.js\";" >"web/docs/${pair% *}.js"
done
expect cycles 'web: these need each other: web/docs/left.js web/docs/right.js'
rm web/docs/left.js web/docs/right.js

echo 'void novel_thing(void); void novel_thing(void) { }' >lib/base/x.c
${CC:-cc} -c lib/base/x.c -o build/lib/base/x.o
expect nouns 'lib/base/x.c: novel_thing.. bears no noun'
for noun in '/* Nouns: other, novel. */' 'struct novel;'; do
	echo "$noun" >lib/base/x.h
	sh tests/lint/nouns.sh || bad=1
done
rm lib/base/x.[ch] build/lib/base/x.o

function_of() # the number of lines
{
	printf 'int\nlong_one(void)\n{\n%s\n}\n' "$(lines $(($1 - 2)) '	;')"
}
breaks sizes 'has 61 lines' cgi-bin/x.c "$(function_of 61)"
breaks sizes 'over 800 lines' cgi-bin/x.c "$(lines 801 '/* */')"
breaks sizes 'over 6 parameters' cgi-bin/x.c \
    "$(printf 'int\nwide(int a, int b,\n    void (*c)(int, int), int d, int e, int f, int g)\n{\n}\n')"
for _ in $(seq 1000); do
	function_of 13
done >workers/x.c
expect sizes 'the median is over 12'
for _ in $(seq 200); do
	function_of 31
done >workers/x.c
expect sizes 'percentile is over 30'
rm workers/x.c

for call in 'sprintf(a, b)' 'strcpy(a, b)' 'strcat(a, b)' 'gets(a)' 'system(a)' \
    'popen(a, b)' 'strtok(a, b)' 'alloca(1)'; do
	breaks banned 'a banned call' lib/base/id.c "	$call;"
done
breaks banned 'outside its rooms' lib/store/voices.c '	free(a);'
breaks banned 'unfinished work' lib/base/id.c "/* TO""DO */"
breaks banned 'one machine' lib/base/id.c '"/work/main"'
breaks banned 'registry' lib/base/id.c '"https://pypi.org"'
breaks banned 'history' lib/base/id.c '/* @author me */'

rules=$((rules + 1))
# shellcheck disable=SC2046 # a list of flags
echo 'void f(int n); void f(int n) { char a[n]; a[0] = 1; }' |
    ${CC:-cc} $(make -s --no-print-directory -C "$here" --eval 'warn:; @echo $(WARN)' warn) -Werror -fsyntax-only -x c - 2>&1 |
    grep -q vla || {
	echo 'selftest: the flags of the Makefile do not refuse variable length arrays'
	bad=1
}

breaks_object() # declaration
{
	echo "$1" | ${CC:-cc} -x c -c -o build/lib/base/arena.o -
	expect banned 'mutable and has external linkage'
	rm build/lib/base/arena.o
}
breaks_object 'int counter = 1;'
breaks_object 'int counter;'
breaks_object 'const char *name = "a";'
echo 'extern const char *const n[]; const char *const n[] = { "a" };' |
    ${CC:-cc} -x c -c -o build/lib/base/arena.o -
sh tests/lint/banned.sh || bad=1 # a const table is allowed

breaks format 'clang-format' lib/base/id.c 'int   x;'
breaks headers 'the guard must be' lib/base/x.h '#pragma once'
breaks headers 'the guard must be' lib/base/x.h 'int f(void);'
breaks alone 'size_t' lib/base/x.h "$(printf '#ifndef BASE_X_H\n#define BASE_X_H\nsize_t f(void);\n#endif')"
if command -v shellcheck >/dev/null; then
	breaks headers 'SC' tests/x.sh "$(printf '#!/bin/sh\ncd $1\n[ "$a" == 1 ]')"
fi

breaks schema 'novel.id has no comment' schema/9999_x.sql \
    "$(printf 'CREATE TABLE novel (\n\tid TEXT NOT NULL, -- its own\n) STRICT;\nCREATE TABLE novel (\n\tid TEXT NOT NULL\n) STRICT;')"
breaks schema 'accounts.more has no comment' schema/9999_x.sql \
    'ALTER TABLE accounts ADD COLUMN more TEXT; -- sqlite'
breaks schema 'which programs does it serve' schema/9999_x.sql "$(printf '%s\n' '-- A change.' '-- Of nothing.')"
breaks schema 'needs a line of its own' schema/9999_x.sql '--pg CREATE TABLE novel (id TEXT);'

# Rules for manuals and pages.
cp -r "$here/lib" "$here/workers" "$here/web" "$here/cron" .
cp -r "$here/tests/unit" "$here/tests/e2e" "$here"/tests/*.c "$here/tests/pool" "$here/tests/durations" tests
cp "$here"/cgi-bin/*.c cgi-bin
cp "$here/tests/packages" "$here/tests/pool" "$here/tests/durations" tests
sh tests/lint/docs.sh || bad=1
man=docs/man/dragoman.conf.5
breaks docs 'leads nowhere' README.md '[a page](docs/nowhere.md)'
breaks docs 'leads nowhere' README.md '[a headline](docs/install.md#nowhere)'
breaks docs 'README.md:[0-9]*: the line has more' README.md "$(printf '%0101d' 0 | tr 0 w)"
breaks docs 'version.h 7.7: the first version of CHANGES' lib/base/version.h '#define VERSION "7.7"'
breaks docs 'no such target' README.md 'Say `make nothing`.'
breaks docs 'no such setting' docs/install.md 'Set `stream.maximum = 7`.'
sed -i.kept 's/^busy_ms = /busier_ms = /' tests/golden/config.txt
expect docs 'db.busier_ms.*does not say so'
mv tests/golden/config.txt.kept tests/golden/config.txt
breaks docs 'only dragoman.conf' $man "$(printf '.Ss server\n.It Va novel\nNovel.\n.El')"
breaks docs 'does not know this command' workers/dragoman.c \
    "$(printf '\t{ "novel", "", "", novel, DB },')"
sed -i.kept 's/^Bytes of an account.s stored files/Bytes of all/' $man
expect docs 'plan.storage_bytes.*does not say so'
mv $man.kept $man
breaks docs 'no such file' docs/contributing.md 'Look into `lib/novel.c`.'
breaks docs 'no such test' docs/contributing.md 'See `tests/unit/test_workers.c`: `novel_test`.'
breaks docs 'NOVEL_ERROR: docs/streaming' lib/session/tts_session.c 'const char *e = "NOVEL_ERROR";'
breaks docs 'novel reason: docs/streaming' lib/protocol/output.h '	CLOSE(CLOSE_NOVEL, 1008, "novel reason")'
breaks docs 'novel_message: docs/streaming' lib/protocol/output.c '	begin(b, "novel_message");'
breaks docs 'novel-dev: docs/dependencies.md' tests/packages "test='novel-dev'"
breaks docs 'novel: docs/dependencies.md' Makefile 'LIBS = $(PKG_L) -lnovel'
breaks docs 'novel: neither' docs/dependencies.md '| Novel | `novel` | |'
sed -i.kept '/^| libwebsockets/d' docs/dependencies.md
expect docs 'libwebsockets: docs/dependencies.md'
mv docs/dependencies.md.kept docs/dependencies.md
if command -v mandoc >/dev/null; then
	breaks docs 'mandoc says so' $man '.Xx'
fi

# Without the programs that print generated parts, no page may lose its parts.
rules=$((rules + 1))
if sh tests/golden/run --update >/dev/null 2>&1 || ! cmp -s docs/streaming.md "$here/docs/streaming.md"; then
	echo "selftest: golden/run --update went on without tests/print"
	bad=1
fi
# Rules for the pages' texts.
sh tests/lint/texts.sh || bad=1
breaks texts 'no text novel.text' web/home/main.js 't("novel.text");'
breaks texts 'home.well is of home' web/docs/main.js 't("home.well");'
breaks texts 'add a group' web/home/main.js 't(`home.${novel}`);'
breaks texts 'no key for "Novel"' web/home/index.html '<p>Novel</p>'
breaks texts 'no key for the aria-label' web/home/index.html '<nav aria-label="Novel"></nav>'
breaks texts 'is not what en has' web/home/index.html '<p data-i18n="home.well">Novel</p>'
text() # arguments: jq filter, file, expected report
{
	cp "web/i18n/$2" saved && jq "$1" saved >"web/i18n/$2"
	expect texts "$3"
	mv saved "web/i18n/$2"
}
text 'del(.home["home.well"])' fa.json 'fa: home.well is missing'
text '.home["home.novel"] = "x"' de.json 'de: en has no home.novel'
text '.home["home.novel"] = "x"' en.json 'home.novel is not used'
text '.home["home.well"] = "{x}"' ja.json 'ja: home.well has other names'
text '.home["home.well"] = ""' uk.json 'uk: home.well is empty'
mv web/i18n/uk.json saved
expect texts 'no texts in uk'
mv saved web/i18n/uk.json

# Rules for the units for systemd.
if command -v systemd-analyze >/dev/null; then
	sh tests/lint/units.sh || bad=1
	common=cron/systemd/dragoman-.service.d/dragoman.conf
	breaks units 'gateway.service: it may do more' $common 'CapabilityBoundingSet=CAP_SYS_ADMIN'
	breaks units 'worker@.*: it may do more' $common 'ProtectSystem=no'
	breaks units 'gateway.service: systemd does not' cron/systemd/dragoman-gateway.service 'Restrat=always'
fi

breaks targets 'neither check nor nightly runs novel' Makefile '.PHONY: novel'

cd "$here" && rm -rf "$scratch"
echo "$rules ways to break a rule were noticed"
exit $bad
