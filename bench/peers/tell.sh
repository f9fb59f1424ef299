# SPDX-License-Identifier: GPL-3.0-or-later
# Prints the results of bench/peers/run, which sources this file.  $tmp/results has a line
# for each figure, with a tab between name and figure.

# --- figures ------------------------------------------------------------------

tell_head() {
	printf '%-9s %4s  %-12s %-13s %9s %7s %6s %8s %8s %8s %8s\n' "$server" conn '' '' req/s \
		'ours/' cpu/ 'web us' 'prog us' 'p50 ms' 'p99 ms'
}

# Print lines of turns.c as a table.
tell_turns() {
	awk -F '\t' -v server="$server" -v results="$tmp/results" '
	{
		if ($3 == "dragoman")
			ours = $6 + $7
		printf "%-9s %4d  %-12s %-13s %9.0f %7.2f %6.2f %8.1f %8.1f %8.2f %8.2f%s\n", server,
		    $2, $1, $3, $4, $5, ($6 + $7) / ours, $6, $7, $8 / 1000, $9 / 1000,
		    ($10 > 0 ? "  " $10 " wrong" : "")
		fflush()
		at = server " " $2 " " $1
		print at " / " $3 "\t" $5 >> results
		print at " both / " $3 "\t" ($6 + $7) / ours >> results
		print at " CPU " $3 "\t" $7 >> results
	}'
}

# note NAME FIGURE: store a figure for the summary.
note() {
	printf '%s\t%s\n' "$1" "$2" >>"$tmp/results"
}

# Print the median of standard input.
middle() {
	sort -g | awk '{ v[NR] = $1 } END { print v[int((NR + 1) / 2)] }'
}

# divide A B DIGITS: print A / B with this many digits.
divide() {
	awk -v a="$1" -v b="$2" -v digits="${3:-3}" 'BEGIN { printf "%.*f", digits, (b > 0 ? a / b : 0) }'
}

# --- what was to be reached ---------------------------------------------------

# Each line has a text, the figure's name, the required value and the goal; "<" means at
# most.
goals() {
	local s n j
	for n in 1 16; do
		echo "read ÷ floor, lighttpd, $n|lighttpd $n read / floor|0.65|0.75"
		echo "page of 20 ÷ floor, lighttpd, $n|lighttpd $n page of 20 / floor|0.42|0.55"
		for j in read 'page of 20'; do
			echo "$j ÷ floor, mod_fcgid, $n|apache $n $j / floor|0.85|0.95"
		done
		for s in lighttpd apache; do
			for j in read 'page of 20'; do
				echo "$j ÷ PHP-FPM + PDO, $s, $n|$s $n $j / php|2.5|4"
			done
			echo "public view ÷ floor, $s, $n|$s $n public view / floor|0.80|0.95"
			echo "create ÷ bare C loop, $s, $n|$s $n create / bare C|0.7|0.9"
		done
		echo "page of 20 ÷ Node, nothing in front, $n|lighttpd $n page of 20 / node, bare|1.8|2.5"
		echo "read, serve ÷ behind lighttpd, $n|serve $n read|3|3.6"
		echo "page of 20, serve ÷ Node, nothing in front, $n|serve $n page of 20|2.5|3"
		for s in php python node; do
			echo "CPU per read ÷ $s's, $n|CPU $n $s|<1|<1"
		done
	done
	echo "CSV import ÷ sqlite3 .import|csv import|0.7|1.2"
	for s in lighttpd apache; do
		echo "upload ÷ file, fsync, rename, $s|$s upload|0.6|0.9"
		echo "idle FastCGI program, private MiB, $s|$s memory|<6|<3"
	done
}

# The program's processor time divided by the peer's, behind lighttpd.
cpu_ratios() {
	awk -F '\t' '
	match($1, / [0-9]+ read CPU /) && $1 ~ /^lighttpd/ {
		split($1, w, " ")
		us[w[2] " " substr($1, RSTART + RLENGTH)] = $2
	}
	END {
		for (k in us) {
			split(k, w, " ")
			if (k !~ /dragoman|floor|bare/ && us[k] > 0)
				printf "CPU %s %s\t%.3f\n", w[1], w[2], us[w[1] " dragoman"] / us[k]
		}
	}' "$tmp/results" >"$tmp/cpu"
	cat "$tmp/cpu" >>"$tmp/results"
}

# Ratios of dragoman serve, in the place of behind lighttpd.
serve_ratios() {
	awk -F '\t' '
	$1 ~ /^lighttpd [0-9]+ [^\/]* \/ / { by[$1] = $2 }
	END {
		for (n = 1; n <= 16; n += 15) {
			to = "lighttpd " n
			if (by[to " read / serve"] > 0)
				print "serve " n " read\t" 1 / by[to " read / serve"]
			if (by[to " page of 20 / serve"] > 0)
				print "serve " n " page of 20\t" \
				    by[to " page of 20 / node, bare"] / by[to " page of 20 / serve"]
		}
	}' "$tmp/results" >"$tmp/ratios"
	cat "$tmp/ratios" >>"$tmp/results"
}

summarize() {
	cpu_ratios
	serve_ratios
	echo
	goals | awk -v results="$tmp/results" '
	BEGIN {
		FS = "\t"
		while ((getline <results) > 0)
			seen[$1] = $2
		FS = "|"
		print "| | seen | by CPU | at least | to aim for | |"
		print "|---|--:|--:|--:|--:|---|"
	}
	{
		if (!($2 in seen))
			next
		limit = $3
		least = sub(/^</, "", limit) ? seen[$2] <= limit + 0 : seen[$2] >= limit + 0
		cpu = $2
		sub(" / ", " both / ", cpu)
		printf "| %s | %.2f | %s | %s | %s | %s |\n", $1, seen[$2],
		    (cpu in seen && cpu != $2 && seen[cpu] > 0 ? sprintf("%.2f", seen[cpu]) : ""),
		    $3, $4, (least ? "ok" : "BELOW")
	}'
}
