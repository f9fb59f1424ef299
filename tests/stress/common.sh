# SPDX-License-Identifier: GPL-3.0-or-later
# Functions for the scripts of `make stress`, in bash.  They need $root.  stress_begin sets
# $tmp; stress_end prints the result.

PATH=$PATH:/usr/sbin
BUILD=$(cd "${BUILD:-$root/build}" && pwd)
bad=0 begun=$SECONDS children=() mounts=() locks=()

stress_finish() {
	local status=$?
	trap - EXIT
	trap '' INT TERM
	[ ${#children[@]} -eq 0 ] || kill "${children[@]}" 2>/dev/null || true
	for dir in "$tmp"/i*; do
		[ ! -d "$dir/var" ] || "$root/tests/instance" down --dir "$dir" || status=1
	done
	"$root/tests/postgres" down "$tmp/pg" || status=1
	[ ${#mounts[@]} -eq 0 ] || umount "${mounts[@]}" || status=1
	if [ -n "${KEEP:-}" ]; then
		echo "kept: $tmp"
	else
		rm -rf "$tmp"
	fi
	exit "$status"
}

stress_begin() {
	export LC_ALL=C
	tmp=$(mktemp -d /tmp/stress.XXXXXX)
	chmod 755 "$tmp"
	trap stress_finish EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# verdict NAME TEXT CONDITION...: print one line
verdict() {
	local name=$1 text=$2 how=ok
	shift 2
	"$@" || how=BROKEN bad=$((bad + 1))
	printf '%-12s %s: %s\n' "$name" "$text" "$how"
}

stress_end() {
	echo "$1: $([ "$bad" -eq 0 ] && echo everything held || echo "$bad broken") in $((SECONDS - begun)) s"
	[ "$bad" -eq 0 ]
}

# A random number of seconds up to the argument, with three decimals.
some_time() {
	awk -v most="$1" -v dice="$(od -An -N2 -tu2 /dev/urandom)" \
		'BEGIN { printf "%.3f", most * dice / 65535 }'
}

# --- an instance, as a client sees it -----------------------------------------

# instance_up ARGUMENTS...: start in $dir, or $tmp/i; sets base, key, port
instance_up() {
	dir=${dir:-$tmp/i}
	port=${port:-$("$root/tests/port")}
	"$root/tests/instance" up --server "$SERVER" --port "$port" --dir "$dir" \
		--set plan.requests_per_min=0 --set rate.public_per_min=0 --set plan.voices=0 \
		--set plan.glossaries=0 --set plan.parallel_sessions=0 --set plan.storage_bytes=0 \
		"$@" >"$tmp/instance"
	base=$(jq -r .base_url "$tmp/instance")
	[ "$(jq -r '.api_key // ""' "$tmp/instance")" = '' ] || key=$(jq -r .api_key "$tmp/instance")
}

# ask METHOD PATH [JSON] [CURL ARGUMENT...]: sets status; the answer is in $tmp/head and
# $tmp/body.  000: no answer came.
ask() {
	local method=$1 path=$2 json=${3:-} body=()
	shift $(($# < 3 ? $# : 3))
	[ -z "$json" ] || body=(-H 'Content-Type: application/json' --data-binary "$json")
	[ "$method" = GET ] || [ -n "$json" ] || [ $# -gt 0 ] || body=(-d '')
	[[ $path == http* ]] || path=$base$path
	status=$(curl -s -m 10 -o "$tmp/body" -D "$tmp/head" -w '%{http_code}' -X "$method" \
		-H "Authorization: Bearer $key" "${body[@]}" "$@" "$path") || status=000
}

# got FILTER: apply a jq filter to the last answer
got() {
	jq -r "$1" "$tmp/body"
}

# True when the last answer is good, or refused as documented: a problem document of the
# same status (for uploads S3's XML), with Retry-After when it is 503 or 429.
told() {
	case $status in
	2??) return 0 ;;
	429 | 503) grep -qi '^retry-after: *[0-9]' "$tmp/head" || return 1 ;;
	507 | 500) ;;
	*) return 1 ;;
	esac
	grep -q '<Error><Code>' "$tmp/body" ||
		jq -e --argjson status "$status" '.ok == false and .errors[0].status == $status
			and (.errors[0].type | test("/problems/"))' "$tmp/body" >/dev/null 2>&1
}

# form MIME: get a new upload form, in $tmp/form.json
form() {
	ask POST /saas/upload "{\"data\":[{\"filename\":\"a.wav\",\"mime_type\":\"$1\"}]}"
	[ "$status" = 200 ] || return 1
	got '.data[0]' >"$tmp/form.json"
}

# send FORM FILE: upload as a browser does
send() {
	local fields=()
	readarray -t fields < <(jq -r '.form_data | to_entries[] | "-F", "\(.key)=\(.value)"' "$1")
	ask POST "$(jq -r .url "$1")" '' "${fields[@]}" -F "file=@$2"
}

# errors: print the errors logged so far
errors() {
	grep -hE '^error|\[[a-z_]*:(error|crit|alert|emerg)\]|\(.*\.c\.[0-9]+\)' "$dir"/var/log/*.log \
		2>/dev/null || true
}

# query SQL: query the instance's database
query() {
	echo "$1" | sqlite3 -bail -init /dev/null -cmd '.timeout 10000' "$dir/var/dragoman.db"
}

# eventually SECONDS COMMAND...: repeat the command until it succeeds
eventually() {
	local until=$((SECONDS + $1))
	shift
	until "$@"; do
		[ "$SECONDS" -lt "$until" ] || return 1
		sleep 0.3
	done
}

balanced() {
	"$dir/bin/dragoman" account ledger >/dev/null
}

sound() {
	[ "$(query 'PRAGMA integrity_check')" = ok ] &&
		[ -z "$(query 'PRAGMA foreign_key_check')" ]
}

# --- its processes ------------------------------------------------------------

# The programs and workers of the instance, without short-lived children.
programs() {
	find /proc/[0-9]*/exe -lname "$dir/*" -printf '%h %f %l\n' 2>/dev/null |
		sed 's|^/proc/\([0-9]*\) .*/|\1 |'
}

# restart NAME: kill it with -9; the web server or the loop starts it again.
restart() {
	local pid name
	while read -r pid name; do
		[ "$name" != "$1" ] || kill -KILL "$pid" 2>/dev/null || true
	done < <(programs)
}

# A worker does nothing while another process holds its lock.
stop_worker() {
	local held
	exec {held}>>"$dir/var/state/$1.lock"
	flock "$held" & # the open file keeps the lock
	while kill -0 $! 2>/dev/null; do
		restart "$1"
		sleep 0.05
	done
	locks+=("$held")
}

let_workers() {
	local fd
	for fd in "${locks[@]}"; do
		exec {fd}>&-
	done
	locks=()
}
