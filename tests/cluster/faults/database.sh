# SPDX-License-Identifier: GPL-3.0-or-later
# A host loses the way to the database, and nothing else.

live_begin 6 5
victim=$(busiest)
at=$(now)
cut_off "n$victim" 10.77.0.2
sleep 25
mend "n$victim" 10.77.0.2
sleep 5
live_end "$at"
row database 's in which a speaker was not heard' 12 "$heard_s"
row database 's in which listeners read nothing' 12 "$reads_s"
row database 'texts that came twice: two owners' 0 "$doubled"
eventually 30 ready "$victim"
