# SPDX-License-Identifier: GPL-3.0-or-later
# With NATS, hosts that do not belong here: one with a wrong password of NATS, one with the
# name of another host, and another installation that uses the same NATS and prefix.

# says N TEXT: true if a log of host N has this text.
says() {
	grep -qF "$2" "$tmp/i$1/var/log/"*.log
}

# stranger TEXT [OPTION...]: start host 4 with these options; prints 1 if it says the text.
stranger() {
	local text=$1
	shift
	host_begin 4 "$@" >>"$tmp/log" 2>&1 || true
	eventually 20 says 4 "$text" && echo 1 || echo 0
	host_down 4 >>"$tmp/log" 2>&1 || true
	rm -r "$tmp/i4"
}

network_add n4 10.77.0.14
live_begin 6 5
at=$(now)
row strangers 'wrong password of NATS: says so' '>1' \
	"$(stranger 'cannot connect to NATS' --set cluster.password=wrong)"
mkdir -p "$tmp/i4/var/state"
cp "$tmp/i2/var/state/node.id" "$tmp/i4/var/state/"
row strangers 'name of another host: says so' '>1' "$(stranger 'another host')"
row strangers 'another installation on the same NATS: serves' '>1' \
	"$(stranger 'connected to NATS' --db "sqlite:$tmp/i4/var/other.db")"
live_end "$at"
row strangers "texts lost, of $((phrases * 5))" 0 "$lost"
row strangers 'texts that came twice' 0 "$doubled"
row strangers 'requests that failed' 0 "$failed"
