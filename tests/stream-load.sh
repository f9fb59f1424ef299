# SPDX-License-Identifier: GPL-3.0-or-later
# Functions for bench-stream and soak, in bash.  They need $root and $BUILD; load_begin sets
# $tmp, $dir and $SERVER.

PATH=$PATH:/usr/sbin
SERVER=${SERVER:-apache}
engine_pid='' engine_url='' loaders=()

load_finish() {
	local status=$?
	trap - EXIT INT TERM
	[ ${#loaders[@]} -eq 0 ] || kill "${loaders[@]}" 2>/dev/null || true
	load_down || status=1
	if [ -n "${KEEP:-}" ]; then
		echo "kept: $tmp"
	else
		rm -rf "$tmp"
	fi
	exit "$status"
}

load_begin() {
	tmp=$(mktemp -d "${TMPDIR:-/tmp}/$1.XXXXXX")
	chmod 755 "$tmp"
	dir=$tmp/i
	trap load_finish EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# --- an instance --------------------------------------------------------------

# script_lines N [MORE]: print settings for script engines that recognize "sentence number
# n" and more; a line of settings has room for three long texts.
script_lines() {
	seq -f "sentence#number#%g${2:-}" 1 "$1" | paste -sd "$([ $# -gt 1 ] && echo '||' || echo '|||||||')\n" |
		sed 's/^/--set engine.script.lines=/'
}

# load_up SETTINGS...: start an instance for many clients.  A # in a setting stands for a
# blank.
load_up() {
	local set=() s
	load_instance_down
	for s in "$@"; do
		set+=("${s//#/ }")
	done
	port=$("$root/tests/port")
	WORKERS=${workers:-$((1400 * $(nproc)))} "$root/tests/instance" up --server "$SERVER" \
		--port "$port" --dir "$dir" --set plan.parallel_sessions=0 \
		--set plan.starting_credits=100000000 --set plan.requests_per_min=0 \
		--set stream.max_connections=10000 --set session.ttl_s=2592000 \
		"${set[@]}" >"$tmp/instance"
	base=$(jq -r .base_url "$tmp/instance")
	key=$(jq -r .api_key "$tmp/instance")
}

# load_channel N: create a channel from English to Spanish with N listeners. $tmp/speaker
# has "URL TOKEN" of its speaker, $tmp/joined a line "URL TOKEN" for each listener by
# WebRTC, $tmp/joins the answers to joining.
load_channel() {
	local event i
	event=$(load_post /saas/v2/event '{"title":"Load","event_type":"online",
		"utc_start_dt":"2036-12-01T08:00:00Z","utc_end_dt":"2036-12-02T08:00:00Z"}' |
		jq -r .data.event_id)
	load_post /saas/channel '{"type":"event","event_id":"'"$event"'","name":"Hall",
		"source_language":"en","target_languages":["es"]}' |
		jq -r '.data.input | .url + " " + .token' >"$tmp/speaker"
	for i in $(seq "$1"); do
		[ "$i" -eq 1 ] || echo next
		printf 'url = "%s"\nheader = "Content-Type: application/json"\ndata = "%s"\n' \
			"$base/saas/v2/event/public/$event/join" '{\"data\":{\"language\":\"es\"}}'
	done | curl -sS -K - >"$tmp/joins"
	jq -r '.data | .webrtc_url + " " + .token' "$tmp/joins" | sed 's/^http/ws/' >"$tmp/joined"
}

# load_post PATH DATA: send a POST request
load_post() {
	curl -sS -H "Authorization: Bearer $key" -H 'Content-Type: application/json' \
		"$base$1" -d '{"data":'"$2"'}'
}

load_instance_down() {
	[ ! -d "$dir" ] || "$root/tests/instance" down --dir "$dir"
	rm -rf "$dir"
}

load_down() {
	load_instance_down
	[ -z "$engine_pid" ] || kill "$engine_pid" 2>/dev/null || true
	engine_pid=''
}

engine_server_up() {
	[ -z "$engine_pid" ] || return 0
	mkfifo "$tmp/engine.in"
	"$BUILD/tests/engine-server" <>"$tmp/engine.in" >"$tmp/engine.port" &
	engine_pid=$!
	while [ ! -s "$tmp/engine.port" ]; do
		sleep 0.05
	done
	engine_url=http://127.0.0.1:$(cat "$tmp/engine.port")
}

# --- processes ----------------------------------------------------------------

# Print the numbers of these processes and of all their descendants.
family() {
	cat /proc/[0-9]*/stat 2>/dev/null | sed 's/(.*)/x/' |
		awk -v roots="$*" '{ parent[$1] = $4 }
		END {
			n = split(roots, r, " ")
			for (i = 1; i <= n; i++)
				mine[r[i]] = 1
			for (again = 1; again;) {
				again = 0
				for (p in parent)
					if (!(p in mine) && (parent[p] in mine))
						again = mine[p] = 1
			}
			for (p in mine)
				print p
		}'
}

gateway_pid() {
	local p
	for p in $(family "$(sed -n 's/^\([0-9]*\) .* loop-gateway$/\1/p' "$dir/var/instance/pids")"); do
		[ "$(readlink "/proc/$p/exe")" != "$dir/bin/gateway" ] || echo "$p"
	done | sort -n | head -n 1
}

# Memory of a process in KiB; shared pages count in proportion.
pss() {
	local p
	for p in "$@"; do
		sed -n 's/^Pss: *\([0-9]*\).*/\1/p' "/proc/$p/smaps_rollup" 2>/dev/null || true
	done | awk '{ s += $1 } END { print s + 0 }'
}

# Resident memory of the gateway with its libraries, KiB.
gateway_kib() {
	sed -n 's/^VmRSS:[^0-9]*\([0-9]*\).*/\1/p' "/proc/$(gateway_pid)/status"
}

# Memory of the gateway and its children, KiB; shared pages count in proportion.
gateway_pss() {
	# shellcheck disable=SC2046 # a list of numbers
	pss $(family "$(gateway_pid)")
}

# Memory of the translating pipeline, if there is one.
apertium_kib() {
	local p mine=()
	for p in $(family "$(gateway_pid)"); do
		case $(readlink "/proc/$p/exe") in
		*/apertium* | */lt-proc | */lrx-proc | */cg-proc) mine+=("$p") ;;
		esac
	done
	pss "${mine[@]}"
}

# Ticks of processor time so far: gateway and children, web server, clients, engines; then
# of the machine: busy, stolen, all.
ticks() {
	local who
	for who in "$(gateway_pid)" "$(jq .pid "$tmp/instance")" "${loaders[*]}" "$engine_pid"; do
		# shellcheck disable=SC2046,SC2086 # lists of numbers
		{ [ -z "$who" ] || cat $(family $who | sed 's|.*|/proc/&/stat|') 2>/dev/null || true; } |
			sed 's/.*) //' | awk '{ s += $12 + $13 } END { print s + 0 }'
	done
	awk '/^cpu / { print $2 + $3 + $4 + $7 + $8; print $9 + 0;
		print $2 + $3 + $4 + $5 + $6 + $7 + $8 + $9; exit }' /proc/stat
}

# --- a load -------------------------------------------------------------------

# load_run SECONDS CLIENTS...: run these clients, and a second process that measures
# connections and pings.  Its output is in $tmp/load, the highest memory in $tmp/kib and
# $tmp/apertium-kib.  when_ready, while_held: commands to run at these moments; $tmp/while
# has the output of the latter.
load_run() {
	local for_s=$1 pid door
	shift
	rm -f "$tmp/stdin"
	: >"$tmp/load"
	mkfifo "$tmp/stdin"
	"$BUILD/tests/stream-load" "$base" "$key" seconds="$for_s" wait=1 "$@" \
		<>"$tmp/stdin" >"$tmp/load" 2>&1 &
	pid=$!
	loaders=("$pid")
	load_wait "$pid" ready
	[ -z "${when_ready:-}" ] || "$when_ready"
	"$BUILD/tests/stream-load" "$base" "$key" seconds="$((for_s > 3 ? for_s - 2 : 1))" \
		door=1 probe=10 </dev/null >"$tmp/door" 2>&1 &
	door=$!
	loaders+=("$door")
	ticks >"$tmp/ticks"
	load_wait "$pid" held
	ticks >"$tmp/ticks.end"
	cat /proc/loadavg >"$tmp/loadavg"
	gateway_kib >"$tmp/kib"
	gateway_pss >"$tmp/pss"
	apertium_kib >"$tmp/apertium-kib"
	: >"$tmp/while"
	[ -z "${while_held:-}" ] || "$while_held" >"$tmp/while"
	wait "$door" || true
	echo >"$tmp/stdin"
	wait "$pid" || true
	loaders=()
	sed -n 's/^figure\t/figure\tdoor: /p; /^wrong/p' "$tmp/door" >>"$tmp/load"
}

load_wait() {
	until grep -q "^$2" "$tmp/load"; do
		kill -0 "$1" 2>/dev/null || {
			cat "$tmp/load" >&2
			exit 1
		}
		sleep 0.1
	done
}

load_count() {
	sed -n '/^counts/p' "$tmp/load" | tr '\t' '\n' | sed -n "s/^$1=//p" | grep . || echo 0
}

# Processor time of the gateway and its children, milliseconds per second.
gateway_ms() {
	paste -d ' ' "$tmp/ticks" "$tmp/ticks.end" | awk -v cores="$(nproc)" '
	{ used[NR] = $2 - $1 }
	END { print 1000 * used[1] / (used[7] / cores) }'
}

# Print the shares of processor time during the load.
load_shares() {
	paste -d ' ' "$tmp/ticks" "$tmp/ticks.end" | awk -v cores="$(nproc)" \
		-v paced="$(load_count 'warned of pace')" -v average="$(cut -d ' ' -f 1 "$tmp/loadavg")" '
	{ used[NR] = $2 - $1 }
	END {
		all = used[7] / cores
		if (paced > 0)
			printf "warned of their pace: %d times; the clients or what is in front were starved\n", paced
		printf "processors: gateway and children %.2f, web server %.2f, clients %.2f, engines %.2f, " \
		    "everybody else %.2f of %d; stolen %.1f %%; load %s\n", used[1] / all, used[2] / all,
		    used[3] / all, used[4] / all,
		    (used[5] - used[1] - used[2] - used[3] - used[4]) / all, cores,
		    100 * used[6] / used[7], average
	}'
}
