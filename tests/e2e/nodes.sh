# SPDX-License-Identifier: GPL-3.0-or-later
# Functions of tests/e2e/run for --nodes.  $root, $dir, $server and $db are set.

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
		--port "$("$root/tests/port")" --db "$db" --set "blob.dir=$dir/i/var/blobs")
	export E2E_OTHER
}
