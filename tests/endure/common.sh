# What the scripts of `make endure` have in common; they are bash, and have set
# $root.  endure_begin sets $tmp; endure_end tells how it went.

PATH=$PATH:/usr/sbin
BUILD=$(cd "${BUILD:-$root/build}" && pwd)
bad=0 begun=$SECONDS children=()

endure_finish() {
	local status=$?
	trap - EXIT
	trap '' INT TERM
	[ ${#children[@]} -eq 0 ] || kill "${children[@]}" 2>/dev/null || true
	"$root/tests/instance" down --dir "$tmp/i" || status=1
	"$root/tests/postgres" down "$tmp/pg" || status=1
	! mountpoint -q "$tmp/disk" || umount "$tmp/disk" || status=1
	if [ -n "${KEEP:-}" ]; then
		echo "kept: $tmp"
	else
		rm -rf "$tmp"
	fi
	exit "$status"
}

endure_begin() {
	export LC_ALL=C
	tmp=$(mktemp -d /tmp/endure.XXXXXX)
	chmod 755 "$tmp"
	trap endure_finish EXIT
	trap 'exit 130' INT
	trap 'exit 143' TERM
}

# verdict NAME TEXT CONDITION...: one line
verdict() {
	local name=$1 text=$2 how=ok
	shift 2
	"$@" || how=BROKEN bad=$((bad + 1))
	printf '%-12s %s: %s\n' "$name" "$text" "$how"
}

endure_end() {
	echo "$1: $([ "$bad" -eq 0 ] && echo everything held || echo "$bad broken") in $((SECONDS - begun)) s"
	[ "$bad" -eq 0 ]
}

# Below the ports that the system gives to whoever calls.
free_port() {
	for _ in 1 2 3 4 5 6 7 8 9; do
		port=$((20000 + $(od -An -N2 -tu2 /dev/urandom) % 12000))
		(: <>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || return 0
	done
	echo "no port is free" >&2
	exit 1
}

# Seconds between none and so many, with three digits.
some_time() {
	awk -v most="$1" -v dice="$(od -An -N2 -tu2 /dev/urandom)" \
		'BEGIN { printf "%.3f", most * dice / 65535 }'
}
