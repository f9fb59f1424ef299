# SPDX-License-Identifier: GPL-3.0-or-later
# The database gets a host's packets, but its answers are lost.

live_begin 6 5
victim=$(busiest)
at=$(now)
cut_off db "10.77.0.1$victim"
sleep 25
mend db "10.77.0.1$victim"
sleep 5
live_end "$at"
row one_way 's in which a speaker was not heard' 12 "$heard_s"
row one_way 's in which listeners read nothing' 12 "$reads_s"
row one_way 'texts that came twice: two owners' 0 "$doubled"
eventually 30 ready "$victim"
