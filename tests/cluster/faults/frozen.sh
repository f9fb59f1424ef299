# SPDX-License-Identifier: GPL-3.0-or-later
# A host is stopped during its writes, with open sessions of the database.  The others' writes
# are measured behind lighttpd: while all processes of a program are busy, Apache's mod_fcgid
# sleeps a second.

load_begin 0 http://10.77.0.13:8080
sleep 3
signal STOP n3
kill "$load"
frozen=$load
sleep 5
load_begin 40 http://10.77.0.12:8080
sleep 20
load_end
row frozen "ms, p99 of others' writes after 5 s" 1000 "$(awk -F '\t' '$1 == "create" { print $8 }' "$tmp/told")"
row frozen "others' requests that failed" 0 "$failed_requests"
signal CONT n3
wait "$frozen" || true
eventually 30 ready 3
