# SPDX-License-Identifier: GPL-3.0-or-later
# Functions of tests/e2e/run for --nodes and --cluster.  $root, $dir, $server and $db are set.

# nodes_up: start a second host with the same database, files and key, behind the other web
# server; exports E2E_OTHER, which is like E2E_INSTANCE.
nodes_up() {
	case $server in
	apache) nodes_server=lighttpd ;;
	*) nodes_server=apache ;;
	esac
	mkdir -p "$dir/other/var/instance" "$dir/other/var/state"
	cp "$dir/i/var/state/secret.key" "$dir/other/var/state/"
	E2E_OTHER=$("$root/tests/instance" up --server "$nodes_server" --keep --dir "$dir/other" \
		--port "$("$root/tests/port")" --db "$db" --set "blob.dir=$dir/i/var/blobs" ${nats:+--set "$nats"})
	export E2E_OTHER
}

# cluster_up: start a nats-server for both hosts.
cluster_up() {
	nats_port=$("$root/tests/port")
	start nats-server -a 127.0.0.1 -p "$nats_port" -l "$dir/nats.log"
	# shellcheck disable=SC2034 # for tests/e2e/run
	server_of_nodes=$!
	E2E_NATS=$!
	export E2E_NATS
	nats=cluster.nats=nats://127.0.0.1:$nats_port
	settings="$settings --set $nats"
}
