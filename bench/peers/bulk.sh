# SPDX-License-Identifier: GPL-3.0-or-later
# Measurements of bench/peers/run with files: uploads, glossaries, exports; and of memory.
# bench/peers/run sources this file.

UPLOADS=15
ROUNDS=3
FILES=10 # terms of the imported glossary

# seconds COMMAND...: print the command's time, and the share of a processor that it used.
seconds() {
	local TIMEFORMAT='%R %U %S'
	{ time "$@" >/dev/null 2>&1; } 2>&1 | awk '{ printf "%s %.3f", $1, $2 + $3 }'
}

# column N: print the median of this column of $tmp/rates.
column() {
	awk -v i="$1" '{ print $i }' "$tmp/rates" | middle
}

# tell_columns WHERE FORMAT: print the medians of four columns.
tell_columns() {
	# shellcheck disable=SC2059 # a format indeed
	printf "%-9s $2\\n" "$1" "$(column 1)" "$(column 2)" "$(column 3)" "$(column 4)"
}

call() {
	curl -fsS -H "Authorization: Bearer $key" "$@"
}

# --- uploads ------------------------------------------------------------------

# Print a signed form as arguments of curl, one per line.
form() {
	call -H 'Content-Type: application/json' "$(base)/saas/upload" \
		-d '{"data":[{"filename":"talk.wav","mime_type":"audio/wav","item_id":"1"}]}' |
		jq -r '.data[0].form_data | to_entries[] | "-F\n\(.key)=\(.value)"'
}

# send NAME [ARGUMENT-OF-CURL...]: send the file with $tmp/form; print the time until the
# server has confirmed it.
send() {
	local name=$1 fields
	shift
	mapfile -t fields <"$tmp/form"
	curl -fsS -o /dev/null -w '%{time_total}\n' "$@" "${fields[@]}" -F "file=@$tmp/talk.wav" \
		"http://127.0.0.1:${at[$name]}/blobs" && return
	echo "run: $name does not keep a file" >&2
	return 1
}

# Print the peak memory and the private memory of processes of this program, KiB.
peak_kib() {
	local p
	for p in $(pgrep -x "${1##*/}"); do
		[ "$(readlink "/proc/$p/exe")" != "$1" ] || cat "/proc/$p/status" || true
	done 2>/dev/null | awk '/^VmHWM/ && $2 > most { most = $2 } END { print most + 0 }'
}

# The process that receives a file ends with its answer, so its memory is read during the
# upload, which takes two seconds.
tell_peak() {
	local sender most=0 now
	form >"$tmp/form"
	send dragoman --limit-rate 5M >/dev/null &
	sender=$!
	while kill -0 "$sender" 2>/dev/null; do
		now=$(peak_kib "$dir/cgi-bin/blobs.fcgi")
		[ "$now" -le "$most" ] || most=$now
		sleep 0.05
	done
	wait "$sender"
	printf '%-9s   blobs.fcgi: VmHWM %d KiB while it receives the file\n' "$server" "$most"
}

upload() {
	local i ours floor
	ffmpeg -v error -f lavfi -i anoisesrc=r=24000:d=206 -fs 9900000 -y "$tmp/talk.wav"
	: >"$tmp/times"
	for ((i = 0; i <= UPLOADS; i++)); do
		form >"$tmp/form"
		ours=$(send dragoman)
		floor=$(send floor)
		[ $i -eq 0 ] || echo "$ours $floor $(seconds dd if="$tmp/talk.wav" of="$tmp/copy" \
			bs=64k conv=fsync)" >>"$tmp/times"
	done
	awk '{ print $2 / $1, 9.9 / $1, 9.9 / $2, 9.9 / $3 }' "$tmp/times" >"$tmp/rates"
	note "$server upload" "$(column 1)"
	tell_columns "$server" 'upload of 9.9 MB: ours/floor %.2f; MB/s: %.0f, floor %.0f, dd with fsync %.0f'
	tell_peak
}

# --- glossaries and exports ---------------------------------------------------

# Create a glossary with this file, whose import is a job of the worker.
glossary_with() {
	local id
	id=$(call -H 'Content-Type: application/json' -d "$new" "$(base)/saas/glossary" |
		jq -r .data.glossary_id)
	call -o /dev/null -F "file=@$1;type=text/csv" "$(base)/saas/glossary/$id/upload"
	echo "$id"
}

# Stop the instance's worker; this script runs one itself.
end_worker() {
	local pid
	pid=$(sed -n 's/^\([0-9]*\) .* loop-glossary_import$/\1/p' "$dir/var/instance/pids")
	kill -s TERM -- "-$pid" 2>/dev/null || true
	while pgrep -g "$pid" >/dev/null; do
		sleep 0.1
	done
}

import_by_sqlite() {
	local i all=()
	for ((i = 0; i < FILES; i++)); do
		all+=(".import --csv $tmp/terms.csv terms")
	done
	sqlite3 -cmd 'PRAGMA synchronous = FULL' "$1" "${all[@]}"
}

# new_terms FILE MORE: make an empty table with the columns of the file.
new_terms() {
	rm -f "$1"*
	sqlite3 "$1" "PRAGMA journal_mode = WAL; CREATE TABLE terms (source TEXT, target TEXT)" "$2" \
		>/dev/null
}

import() {
	local i round
	awk 'BEGIN { for (i = 1; n < 1000000 - 60; i++) { line = sprintf("medical term %d,Fachbegriff %d", \
		i, i); n += length(line) + 1; print line } }' >"$tmp/terms.csv"
	end_worker
	: >"$tmp/times"
	for ((round = 0; round < ROUNDS; round++)); do
		for ((i = 0; i < FILES; i++)); do
			glossary_with "$tmp/terms.csv" >"$tmp/glossary"
		done
		new_terms "$tmp/terms.db" ''
		echo "$(seconds "${as[@]}" "$dir/bin/glossary_import" --once) $(seconds \
			import_by_sqlite "$tmp/terms.db")" >>"$tmp/times"
	done
	[ "$(sql "SELECT count(*) FROM glossaries WHERE status = 'ready' AND entries > 0")" -ge \
		$((ROUNDS * FILES)) ] || echo "run: not all was imported" >&2
	awk -v rows="$((FILES * $(wc -l <"$tmp/terms.csv")))" \
		'{ print $3 / $1, $4 / $2, rows / $1, rows / $3 }' "$tmp/times" >"$tmp/rates"
	note 'csv import' "$(column 1)"
	tell_columns CSV 'import: ours/.import %.2f, by CPU %.2f; rows/s: %.0f, .import %.0f'
}

# export_by_sqlite FILE SQL: run sqlite3 ten times, each in a new process, as our export
# runs once per request.
export_by_sqlite() {
	local i
	for i in 1 2 3 4 5 6 7 8 9 10; do
		sqlite3 -readonly -csv "$1" "$2"
	done
}

# export_beside NAME PATH FILE SQL: compare a download by HTTP with the same export by
# sqlite3.
export_beside() {
	local ours theirs
	ask "$1" 200 GET "$2" >"$tmp/cases"
	ours=$("$BUILD/bench/peers/turns" 1 "dragoman=${at[dragoman]}/0" <"$tmp/cases" | cut -f 4)
	theirs=$(seconds export_by_sqlite "$3" "$4")
	theirs=$(divide 10 "${theirs% *}")
	printf 'CSV       export of %s: ours/sqlite3 -csv %.2f; files/s: %.0f, sqlite3 %.0f\n' "$1" \
		"$(divide "$ours" "$theirs")" "$ours" "$theirs"
	note "export of $1" "$(divide "$ours" "$theirs")"
}

csv() {
	import
	export_beside 'a glossary' "/saas/glossary/$(cat "$tmp/glossary")/upload" "$tmp/terms.db" \
		"SELECT source, target FROM terms LIMIT $(wc -l <"$tmp/terms.csv")"
	export_beside statistics "/saas/v2/event/$event/stats/export" "$dir/var/dragoman.db" \
		"SELECT language, participants FROM heard WHERE event = '$event' ORDER BY 2 DESC, 1"
}

# --- memory -------------------------------------------------------------------

# For each process whose program matches, print its name and its private memory in KiB.
private_kib() {
	local p exe
	for p in /proc/[0-9]*; do
		exe=$(readlink "$p/exe") || continue
		# shellcheck disable=SC2053 # a pattern
		[[ $exe == $1 ]] || continue
		printf '%s ' "${exe##*/}"
		# It may have ended meanwhile.
		awk '/^Private_(Clean|Dirty)/ { n += $2 } END { print n + 0 }' "$p/smaps_rollup" || echo 0
	done 2>/dev/null
}

# For the process groups of a peer, print the memory of the processes that serve.
peer_kib() {
	local p fields line
	for p in /proc/[0-9]*; do
		{ read -r line <"$p/stat"; } 2>/dev/null || continue
		read -ra fields <<<"${line##*) }"
		[[ ,${group[$1]}, == *,${fields[2]},* ]] || continue
		# shellcheck disable=SC2053 # a pattern
		[[ $(readlink "$p/exe") == $2 ]] || continue
		# The group's leader only starts the others.
		[ "${fields[2]}" != "${p#/proc/}" ] || continue
		printf '%s ' "$1"
		awk '/^Private_(Clean|Dirty)/ { n += $2 } END { print n + 0 }' "$p/smaps_rollup" || echo 0
	done 2>/dev/null
}

# Send eight parallel requests to each program, so that no measured process is unused.
memory() {
	local path i asked
	for path in saas/voice saas/glossaries saas/v2/events saas/channels health billing/balance \
		session-storage/sessions saas/upload/x blobs/x "saas/v2/event/public/$event" \
		saas/voice/m/x/tts-sample "saas/v2/event/$event/requests"; do
		asked=()
		for i in 1 2 3 4 5 6 7 8; do
			curl -s -o /dev/null -H "Authorization: Bearer $key" "$(base)/$path" &
			asked+=($!)
		done
		wait "${asked[@]}" || true
	done
	{
		private_kib "$dir/cgi-bin/*" | sort | awk '{ if ($2 > most[$1]) most[$1] = $2 } END {
			for (p in most) print p, most[p] }' | sort
		private_kib "$dir/bin/*"
		peer_kib php '*php-fpm*'
		peer_kib python '*python*'
		peer_kib node '*node*'
	} >"$tmp/memory"
	note "$server memory" "$(awk '/[.]fcgi/ && $2 > most { most = $2 } END { print most / 1024 }' "$tmp/memory")"
	echo "$server    private memory when idle, MiB:"
	awk '{ if (!($1 in most)) name[++n] = $1; if ($2 > most[$1]) most[$1] = $2 }
	END { for (i = 1; i <= n; i++) printf "            %-24s %6.1f\n", name[i], most[name[i]] / 1024 }' \
		"$tmp/memory"
}
