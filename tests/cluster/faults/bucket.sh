# SPDX-License-Identifier: GPL-3.0-or-later
# All hosts lose the way to the bucket.  Files cannot be sent; everything else goes on.

live_begin 6 5
at=$(now)
for n in 1 2 3; do cut_off "n$n" 10.77.0.3; done
sleep 3
load_begin 20
sleep 15
load_end
for n in 1 2 3; do mend "n$n" 10.77.0.3; done
live_end "$at"
row bucket "texts lost, of $((phrases * 5))" 0 "$lost"
row bucket 'requests without files that failed' 0 \
	"$(awk -F '\t' '$1 ~ /^(read|page|create|join)$/ { n += $2 - $3 } END { print n + 0 }' "$tmp/told")"
load_begin 20
sleep 5
load_end
row bucket 'requests that failed after it was back' 0 "$failed_requests"
