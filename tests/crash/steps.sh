# SPDX-License-Identifier: GPL-3.0-or-later
# One instance in $dir/i without a web server, and what is done to it: each step is
# one process, started as $under says (strace, the recorder, or nothing).  Sourced
# by run.

under=() rc=0 acted='' method='' again='' key='' account=''

fail() {
	echo "crash: $*"
	exit 1
}

# What a client is told from now on, or tries; see invariants.c.
tell() {
	local IFS=$'\t'
	printf '%s\n' "$*" >>"$dir/told"
	[ "$mode" != record ] || "$replay" told "$dir/log" "$(wc -l <"$dir/told")"
}

# ---- steps ----

# ask PROGRAM METHOD PATH [BODY [TYPE]]: a request, as plain CGI; BODY is JSON, or
# a file when TYPE is given.
ask() {
	local body=$dir/body type=${5-application/json}
	[ $# -lt 5 ] || body=$4
	[ $# -ge 5 ] || printf '%s' "${4-}" >"$body"
	rc=0 acted=ask method=$2
	env -i PATH=/usr/bin:/bin TZ=UTC GATEWAY_INTERFACE=CGI/1.1 REMOTE_ADDR=127.0.0.1 \
		SERVER_PROTOCOL=HTTP/1.1 REQUEST_METHOD="$2" REQUEST_URI="$3" \
		HTTP_AUTHORIZATION="Bearer $key" ${4:+CONTENT_TYPE="$type"} \
		CONTENT_LENGTH="$(wc -c <"$body")" \
		"${under[@]}" "$dir/i/cgi-bin/$1.fcgi" \
		<"$body" >"$dir/out" 2>>"$dir/errors" || rc=$?
}

# work WORKER: it runs until nothing is due.
work() {
	rc=0 acted=work
	"${under[@]}" "$dir/i/bin/$1" --once </dev/null >"$dir/out" 2>>"$dir/errors" || rc=$?
}

# operate COMMAND...: by hand.
operate() {
	rc=0 acted=operate
	"${under[@]}" "$dir/i/bin/dragoman" "$@" </dev/null >"$dir/out" 2>>"$dir/errors" || rc=$?
}

# ---- how the last one ended ----

status() { sed -n '1s/^Status: \([0-9]*\).*/\1/p' "$dir/out"; }
body() { sed '1,/^\r*$/d' "$dir/out"; }
said() { body | jq -r "$1"; }
hash_of() { sha256sum "$@" | cut -c-64; }

# The whole answer came, and it is good.
good() {
	local length
	[ "$rc" -lt 128 ] || [ "$acted" = ask ] || return 1
	if [ "$acted" != ask ]; then
		[ "$rc" -eq 0 ]
		return
	fi
	# What was asked for again may have been done the first time.
	case $again$method-$(status) in
	yesDELETE-404 | yesPOST-409) return 0 ;;
	esac
	[[ $(status) == 2* ]] || return 1
	length=$(sed -n 's/^Content-Length: \([0-9]*\).*/\1/p;/^\r*$/q' "$dir/out")
	[ "$(body | wc -c)" -eq "${length:-0}" ]
}

# It failed as it should: no signal, and a problem document if it could say anything.
# WHAT: the call that failed; an answer that could not be written is none.
refused_well() {
	[ "$rc" -lt 128 ] || return 1
	[ "$acted" = ask ] || return 0
	[ -s "$dir/out" ] || { [ "$1" = write ] || [ "$rc" -ne 0 ]; return; }
	[[ $(status) == [45]* ]] || [ "$1" = write ] || return 1
	body | grep -qE '"errors":\[\{|<Error><Code>' || [ "$1" = write ]
}

# ---- around them ----

# A process that has the database open all the time, as FastCGI programs have: the
# WAL stays, and a killed writer's successor finds what others have mapped.
hold() {
	[ -n "$held" ] && [ -f "$dir/i/var/dragoman.db" ] || return 0
	rm -f "$dir/fifo"
	mkfifo "$dir/fifo"
	sqlite3 "$dir/i/var/dragoman.db" <"$dir/fifo" >"$dir/held" 2>&1 &
	holder=$!
	exec 8>"$dir/fifo"
	echo "SELECT count(*) FROM sqlite_master;" >&8
	until [ -s "$dir/held" ]; do sleep 0.005; done
}

let_go() {
	[ -n "$holder" ] || return 0
	kill -KILL "$holder"
	wait "$holder" 2>/dev/null || true
	exec 8>&-
	: >"$dir/held"
	holder=''
}

# keep NAME, back NAME: the files of the instance, put aside and back.
keep() {
	rm -rf "$dir/$1"
	cp -a "$dir/i/var" "$dir/$1"
	cp "$dir/told" "$dir/$1.told"
}

back() {
	rm -rf "$dir/i/var"
	cp -a "$dir/$1" "$dir/i/var"
	cp "$dir/$1.told" "$dir/told"
}

# An hour or two later: leases, locks and waits are over.
time_passes() {
	local var=$dir/i/var with=()
	[ "$mode" != record ] || with=("${under[@]}")
	find "$var/blobs" "$var/state" -type f -exec touch -d '2 hours ago' {} +
	"${with[@]}" sqlite3 "$var/dragoman.db" "UPDATE jobs SET due_us = 1 WHERE state <> 'dead';
		UPDATE voices SET lock_us = 0; DELETE FROM chores;
		UPDATE event_stats SET noticed_us = 5 WHERE noticed_us IS NOT NULL AND final_us IS NULL;
		UPDATE event_stats SET active_us = 5 WHERE active_us IS NOT NULL"
}

# The workers that cron starts, the janitor last, until nothing is left to do.
settle() {
	local w round under=() workers
	workers=$(sed -n 's/^[^#]*cron\/run" *//p' "$dir/i/cron/crontab" | grep -vx 'gateway\|janitor')
	"$dir/i/bin/dragoman" migrate >/dev/null 2>>"$dir/errors" || return 1
	for round in 1 2 3; do
		time_passes
		for w in $workers janitor; do
			"$dir/i/bin/$w" --once </dev/null >/dev/null 2>>"$dir/errors" || return 1
		done
		[ "$(sqlite3 "$dir/i/var/dragoman.db" "SELECT count(*) FROM jobs WHERE state <> 'dead'")" -gt 0 ] || break
	done
}
