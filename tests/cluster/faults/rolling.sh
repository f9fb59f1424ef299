# SPDX-License-Identifier: GPL-3.0-or-later
# Every host is emptied and started again, one after the other.

live_begin 6 5
load_begin 20
at=$(now)
for n in 1 2 3; do
	dragoman "$n" node drain "$(node_of "$n")" --within 60 >>"$tmp/drain" 2>&1 || true
	sleep 2
	host_down "$n"
	host_up "$n" || true
	dragoman "$n" node resume "$(node_of "$n")"
	eventually 20 ready "$n"
	sleep 1
done
load_end
live_end "$at"
row rolling 'requests that failed' 0 $((failed + failed_requests))
row rolling "texts lost, of $((phrases * 5))" 0 "$lost"
row rolling 'texts that came twice' 0 "$doubled"
