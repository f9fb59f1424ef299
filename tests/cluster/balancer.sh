# SPDX-License-Identifier: GPL-3.0-or-later
# HAProxy before several hosts, in bash.  It needs $tmp.

# balancer_up ADDRESS HOST:PORT...: start it in the background; sets balancer to its process.
# A host gets requests while its GET /ready is 200.  Failed requests are not repeated, so
# that clients see every failure.
balancer_up() {
	local address=$1 n=0 host
	shift
	{
		cat <<-CONF
			global
			    maxconn 8000
			    stats socket $tmp/balancer.sock
			defaults
			    mode http
			    retries 0
			    timeout connect 5s
			    timeout client 60s
			    timeout server 60s
			    timeout tunnel 1h
			frontend clients
			    bind $address
			    default_backend nodes
			backend nodes
			    balance roundrobin
			    option httpchk GET /ready
			    http-check expect status 200
			    default-server check inter 500ms fall 1 rise 1
		CONF
		for host; do
			n=$((n + 1))
			echo "    server n$n $host"
		done
	} >"$tmp/balancer.conf"
	haproxy -db -f "$tmp/balancer.conf" >"$tmp/balancer.log" 2>&1 &
	balancer=$!
}
