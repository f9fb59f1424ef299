# SPDX-License-Identifier: GPL-3.0-or-later
# A host with live channels is emptied.

live_begin 20 20
load_begin 10
sleep 4
victim=$(busiest)
at=$(now)
dragoman "$victim" node drain "$(node_of "$victim")" --within 60 >"$tmp/drain" 2>&1 && drained=0 || drained=1
took=$(awk -v a="$at" -v b="$(now)" 'BEGIN { printf "%.1f", (b - a) / 1e6 }')
sleep 6
load_end
live_end "$at"
row drained 'exit status of node drain' 0 "$drained"
row drained 's until it was empty' - "$took"
row drained "texts lost, of $((phrases * 20)) with 20 channels" 0 "$lost"
row drained 'texts that came twice' 0 "$doubled"
row drained 'requests that failed' 0 $((failed + failed_requests))
dragoman "$victim" node resume "$(node_of "$victim")"
eventually 20 ready "$victim"
