# SPDX-License-Identifier: GPL-3.0-or-later
# No fault: joins at one host and at two, with a slow database, and idle hosts.

DELAYS="2 5" SECONDS_EACH=4 "$root/tests/cluster/joins" >"$tmp/joins" 2>"$tmp/joins.log"
row joins 'a second, one host, 5 ms to the database' '>1000' "$(awk 'NF == 2 && $1 == 5 { print $2 }' "$tmp/joins")"
row joins 'two hosts divided by one, 2 ms to the database' '>1.8' "$(awk 'NF == 4 && $1 == 2 { print $4 }' "$tmp/joins")"
row joins 'connections of a host' 20 "$(awk '/connections/ { print $2; exit }' "$tmp/joins")"
row joins 'statements a second of an idle host' 2 "$(awk '/statements/ { print $2; exit }' "$tmp/joins")"
