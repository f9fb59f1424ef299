# SPDX-License-Identifier: GPL-3.0-or-later
# Hosts of a network of their own, in bash.  Each host is a network namespace behind a
# bridge; this script and its clients are at 10.77.0.1.  All of it is in the namespaces that
# tests/cluster/run made for itself, and ends with them.

network_up() {
	mkdir -p /run/netns /etc/netns
	mount -t tmpfs names /run/netns
	mount -t tmpfs files /etc/netns
	ip link set lo up
	ip link add lan type bridge
	ip addr add 10.77.0.1/24 dev lan
	ip link set lan up
}

# network_add NAME IP: add a host, with a machine-id of its own.
network_add() {
	mkdir "/etc/netns/$1"
	tr -d - </proc/sys/kernel/random/uuid >"/etc/netns/$1/machine-id"
	ip netns add "$1"
	ip link add "$1" type veth peer name eth0 netns "$1"
	ip link set "$1" master lan up
	ip -n "$1" link set lo up
	ip -n "$1" addr add "$2/24" dev eth0
	ip -n "$1" link set eth0 up
}

# on NAME COMMAND...: run a command on a host.
on() {
	ip netns exec "$@"
}

# cut_off NAME IP: packets of a host to this address are lost silently, as by a broken cable,
# because they are sent to a network card that does not exist.
cut_off() {
	ip -n "$1" neigh replace "$2" lladdr 02:00:00:00:00:99 dev eth0 nud permanent
}

mend() {
	ip -n "$1" neigh del "$2" dev eth0
}

# signal SIGNAL NAME: signal all processes of a host.
signal() {
	# shellcheck disable=SC2046 # a list of numbers
	kill -s "$1" $(ip netns pids "$2")
}
