# SPDX-License-Identifier: GPL-3.0-or-later
# With NATS, no fault: the owner's processor time when 12 listeners are at one other host,
# and when they are at two.

# ticks HOST: print the processor time of its gateway in ms.
ticks() {
	local pid
	pid=$(ip netns pids "n$1" | while read -r pid; do
		[ "$(readlink "/proc/$pid/exe")" != "$tmp/i$1/bin/gateway" ] || echo "$pid"
	done | head -n 1)
	awk '{ s += $1 } END { printf "%.0f", s / 1e6 }' "/proc/$pid/task/"*/schedstat
}

# cost_of HOST...: print the ms of the owner in 15 s with 12 listeners at these hosts.
cost_of() {
	local host from pids=()
	for host; do
		"$BUILD/tests/live" "http://10.77.0.1$host:8080" "$key" "$event" "$channel" \
			$((12 / $#)) mute >"$tmp/mute.$host" &
		pids+=($!)
	done
	sleep 5
	from=$(ticks "$owner")
	sleep 15
	echo $(($(ticks "$owner") - from))
	kill "${pids[@]}"
	wait "${pids[@]}" || true
}

read -r event channel <"$tmp/channels"
live_begin 1 1
owner=$(busiest)
others=(1 2 3)
unset "others[owner - 1]"
one=$(cost_of "${others[@]:0:1}")
two=$(cost_of "${others[@]}")
live_end "$(now)"
row owner "ms of the owner, listeners at two hosts ÷ at one ($two ÷ $one)" 1.2 \
	"$(awk -v a="$two" -v b="$one" 'BEGIN { printf "%.2f", a / b }')"
