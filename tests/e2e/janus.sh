# SPDX-License-Identifier: GPL-3.0-or-later
# Functions of tests/e2e/run for --janus.  $root and $dir are set.

# janus_up: exports JANUS_DIR, and adds an instance's settings for it to `settings`.
janus_up() {
	export JANUS_DIR="$dir/janus"
	is=$("$root/tests/janus" up "$JANUS_DIR")
	settings="$settings --set broadcast.driver=janus
		--set janus.public_url=wss://media.example.org/janus
		$(printf '%s\n' "$is" | jq -r 'to_entries[] |
			select(.key != "pid") | "--set janus.\(.key)=\(.value)"')"
}

# Run the suites that need a Janus, and the page of docs/ about it.
janus_all() {
	follow tour-channel
	let_loose channels
	# These suites kill Janus, so they run alone.
	let_loose rooms
}

# Print Janus' log after a failure.
janus_tell() {
	"$root/tests/janus" rooms "$dir/janus" >/dev/null || echo "Janus does not answer any more"
	tail -n 20 "$dir/janus/janus.log"
	tail -qn 10 "$dir/i/var/log/error.log" "$dir/i/var/log/channel_retry.log"
}
