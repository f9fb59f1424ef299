# SPDX-License-Identifier: GPL-3.0-or-later
# The service on three hosts, and its clients, in bash.  They need $root, $BUILD and $tmp.

base=http://10.77.0.1:8080
public_url='' # address of all gateways; without NATS each has its own

# Hosts 1 and 2 use PostgreSQL directly, host 3 uses it by pgbouncer in transaction mode.
database_of() {
	[ "$1" -eq 3 ] && echo postgresql://postgres@10.77.0.2:6432/postgres ||
		echo postgresql://postgres@10.77.0.2:5432/postgres
}

# host_begin N [OPTION...]: start a host, and do not wait until it is ready.
host_begin() {
	local i=$tmp/i$1 n=$1 servers=('' apache lighttpd lighttpd lighttpd)
	shift
	mkdir -p "$i/var/instance" "$i/var/state"
	[ "$n" -eq 1 ] || cp "$tmp/i1/var/state/secret.key" "$i/var/state/"
	ADDRESS=10.77.0.1$n on "n$n" "$root/tests/instance" up --server "${servers[$n]}" --port 8080 \
		--dir "$i" --keep --db "$(database_of "$n")" --set "server.base_url=$base" \
		--set "stream.public_url=${public_url:-http://10.77.0.1$n:8080}" "${bucket[@]}" "${settings[@]}" \
		--set plan.requests_per_min=0 --set plan.storage_bytes=0 --set plan.parallel_sessions=0 \
		--set plan.streams=0 --set rate.public_per_min=0 "$@" >"$tmp/host$n" 2>"$tmp/host$n.log" || {
		tail -n 20 "$tmp/host$n.log" >&2
		return 1
	}
}

host_up() {
	host_begin "$1" && eventually 30 ready "$1"
}

host_down() {
	on "n$1" "$root/tests/instance" down --dir "$tmp/i$1"
}

node_of() {
	cat "$tmp/i$1/var/state/node.id"
}

ready() {
	[ "$(curl -s -m 5 -o /dev/null -w '%{http_code}' "http://10.77.0.1$1:8080/ready")" = 200 ]
}

# dragoman N COMMAND...: run a command of host N as its user.
dragoman() {
	local host=$1
	shift
	on "n$host" setpriv --reuid=www-data --regid=www-data --init-groups "$tmp/i$host/bin/dragoman" "$@"
}

ask_database() {
	psql -XqAt -h "$tmp/pg" -U postgres -c "$1"
}

# --- what they stand on -------------------------------------------------------

database_up() {
	network_add db 10.77.0.2
	PORT=5432 ADDRESS=10.77.0.2 on db "$root/tests/postgres" up "$tmp/pg" >"$tmp/log"
	echo 'host all all 10.77.0.0/24 trust' >>"$tmp/pg/data/pg_hba.conf"
	ask_database 'SELECT pg_reload_conf()' >>"$tmp/log"
	cat >"$tmp/pooler.ini" <<-CONF
		[databases]
		* = host=10.77.0.2 user=postgres pool_size=20
		[pgbouncer]
		listen_addr = 10.77.0.2
		listen_port = 6432
		unix_socket_dir =
		auth_type = any
		pool_mode = transaction
	CONF
	on db setpriv --reuid=postgres --regid=postgres --init-groups pgbouncer "$tmp/pooler.ini" \
		>"$tmp/pooler.log" 2>&1 &
}

bucket_up() {
	local s3 sign
	network_add s3 10.77.0.3
	s3=$(ADDRESS=10.77.0.3 on s3 "$root/tests/radosgw" up "$tmp/ceph")
	sign='--aws-sigv4 aws:amz:us-east-1:s3 --user AK:secret -H x-amz-content-sha256:UNSIGNED-PAYLOAD'
	# shellcheck disable=SC2086 # a list of words
	curl -sSf $sign -X PUT "$s3/media"
	bucket=(--set blob.store=s3 --set "blob.endpoint=$s3" --set blob.bucket=media
		--set blob.region=us-east-1 --set blob.access_key=AK --set blob.secret_key=secret)
}

# nats_up N: join the hosts by so many NATS servers.
nats_up() {
	local i servers=()
	network_add nats 10.77.0.4
	for ((i = 1; i <= $1; i++)); do
		on nats nats-server -a 10.77.0.4 -p "422$i" --user dragoman --pass word --cluster_name dragoman \
			--cluster "nats://10.77.0.4:622$i" --routes nats://10.77.0.4:6221 >"$tmp/nats.$i" 2>&1 &
		servers+=("nats://10.77.0.4:422$i")
	done
	public_url=$base
	settings+=(--set "cluster.nats=$(IFS=,; echo "${servers[*]}")"
		--set cluster.user=dragoman --set cluster.password=word)
}

# make_channels N: each in an event of its own; $tmp/channels has a line EVENT CHANNEL for each.
make_channels() {
	local i event
	for ((i = 0; i < $1; i++)); do
		ask POST /saas/v2/event '{"data":{"title":"Forum","event_type":"online",
			"utc_start_dt":"2099-01-01T10:00:00Z","utc_end_dt":"2099-01-01T18:00:00Z"}}'
		event=$(got .data.event_id)
		ask POST /saas/channel "{\"data\":{\"type\":\"event\",\"event_id\":\"$event\",\"name\":\"Hall\",
			\"source_language\":\"en\",\"target_languages\":[\"es\"]}}"
		[ "$status" = 201 ] || { cat "$tmp/body" >&2 && return 1; }
		echo "$event $(got .data.channel_id)"
	done >"$tmp/channels"
}

# --- clients ------------------------------------------------------------------

# live_begin CHANNELS LISTENERS [kept]: let speakers speak, with so many listeners each.
live_begin() {
	local i=0 event channel
	rm -f "$tmp"/live.*
	lives=()
	while read -r event channel; do
		i=$((i + 1))
		"$BUILD/tests/live" "$base" "$key" "$event" "$channel" "$2" "${3:-fresh}" \
			>"$tmp/live.$i" 2>&1 </dev/null &
		lives+=($!)
	done < <(head -n "$1" "$tmp/channels")
	eventually 60 all_speak "$1" || { tail -n 3 "$tmp"/live.* >&2 && return 1; }
}

all_speak() {
	[ "$(grep -l '^text' "$tmp"/live.* | wc -l)" -eq "$1" ]
}

# busiest: print the number of the host that owns most of the channels on air.
busiest() {
	local n node
	node=$(ask_database "SELECT node FROM channels WHERE runtime = 'active' GROUP BY node
		ORDER BY count(*) DESC LIMIT 1")
	for n in 1 2 3; do
		[ "$(node_of "$n")" != "$node" ] || echo "$n"
	done
}

# live_end TIME: end them; sets the figures of tests/cluster/figures.awk for a fault at TIME.
live_end() {
	kill "${lives[@]}"
	wait "${lives[@]}" || true
	eval "$(awk -v at="$1" -f "$root/tests/cluster/figures.awk" "$tmp"/live.*)"
}

now() {
	echo "${EPOCHREALTIME/./}"
}

# load_begin RATE [HOST]: requests at the balancer, or at a host.
load_begin() {
	"$BUILD/tests/stress-load" "${2:-$base}" "$key" "$event_of_load" "$tmp/file.wav" 8 600 "$1" \
		"$tmp/acknowledged" >"$tmp/told" 2>"$tmp/wrong" &
	load=$!
}

# Sets failed_requests.
load_end() {
	kill "$load"
	wait "$load" || true
	failed_requests=$(awk -F '\t' '$1 == "all" { print $2 - $3 }' "$tmp/told")
}
