# SPDX-License-Identifier: GPL-3.0-or-later
# Functions for one instance in $dir/i without a web server.  Each step is one process,
# started under $under (strace, the recorder, or nothing).  run sources this file.

under=() rc=0 acted='' method='' again='' key='' account=''

fail() {
	echo "crash: $*"
	exit 1
}

# Add a fact that a client has learnt, or an attempt; see invariants.c.
tell() {
	local IFS=$'\t'
	printf '%s\n' "$*" >>"$dir/told"
	[ "$mode" != record ] || "$replay" told "$dir/log" "$(wc -l <"$dir/told")"
}

# ---- steps ----

# ask PROGRAM METHOD PATH [BODY [TYPE]]: send a request, as plain CGI; BODY is JSON, or a
# file when TYPE is given.
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

# work WORKER: run it until nothing is due.
work() {
	rc=0 acted=work
	"${under[@]}" "$dir/i/bin/$1" --once </dev/null >"$dir/out" 2>>"$dir/errors" || rc=$?
}

# operate COMMAND...: run an operator's command.
operate() {
	rc=0 acted=operate
	"${under[@]}" "$dir/i/bin/dragoman" "$@" </dev/null >"$dir/out" 2>>"$dir/errors" || rc=$?
}

# ---- how the last one ended ----

status() { sed -n '1s/^Status: \([0-9]*\).*/\1/p' "$dir/out"; }
body() { sed '1,/^\r*$/d' "$dir/out"; }
said() { body | jq -r "$1"; }
hash_of() { sha256sum "$@" | cut -c-64; }

# True when the whole answer arrived and is good.
good() {
	local length
	[ "$rc" -lt 128 ] || [ "$acted" = ask ] || return 1
	if [ "$acted" != ask ]; then
		[ "$rc" -eq 0 ]
		return
	fi
	# A repeated request may find that the first one succeeded.
	case $again$method-$(status) in
	yesDELETE-404 | yesPOST-409) return 0 ;;
	esac
	[[ $(status) == 2* ]] || return 1
	length=$(sed -n 's/^Content-Length: \([0-9]*\).*/\1/p;/^\r*$/q' "$dir/out")
	[ "$(body | wc -c)" -eq "${length:-0}" ]
}

# True when the request failed correctly: no signal, and a problem document if the program
# could send one. WHAT: the call that failed; if it was the write of the answer, no answer
# is needed.
refused_well() {
	[ "$rc" -lt 128 ] || return 1
	[ "$acted" = ask ] || return 0
	[ -s "$dir/out" ] || { [ "$1" = write ] || [ "$rc" -ne 0 ]; return; }
	[[ $(status) == [45]* ]] || [ "$1" = write ] || return 1
	body | grep -qE '"errors":\[\{|<Error><Code>' || [ "$1" = write ]
}

# ---- around them ----

# Hold the database open, as FastCGI programs do: the WAL stays, and the successor of a
# killed writer finds the shared memory that other processes use.
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

# keep NAME, back NAME: save and restore the files of the instance.
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

# Move all times back by an hour or two, so that leases, locks and waits have expired.
time_passes() {
	local var=$dir/i/var with=()
	[ "$mode" != record ] || with=("${under[@]}")
	find "$var/blobs" "$var/state" -type f -exec touch -d '2 hours ago' {} +
	"${with[@]}" sqlite3 "$var/dragoman.db" "UPDATE jobs SET due_us = 1 WHERE state <> 'dead';
		UPDATE voices SET lock_us = 0; DELETE FROM chores;
		UPDATE event_stats SET noticed_us = 5 WHERE noticed_us IS NOT NULL AND final_us IS NULL;
		UPDATE event_stats SET active_us = 5 WHERE active_us IS NOT NULL"
}

# Run the workers that cron starts until nothing is left to do, the janitor last.
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
