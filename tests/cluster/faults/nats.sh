# SPDX-License-Identifier: GPL-3.0-or-later
# A host loses the way to NATS, and then all hosts do: each serves its own channels to the
# clients that reach it.

live_begin 6 5
victim=$(busiest)
at=$(now)
cut_off "n$victim" 10.77.0.4
sleep 20
mend "n$victim" 10.77.0.4
live_end "$at"
row nats 's in which a speaker was not heard, one host' 12 "$heard_s"
row nats 's in which listeners read nothing' 12 "$reads_s"
row nats 'texts that came twice: two owners' 0 "$doubled"
live_begin 6 5
at=$(now)
for n in 1 2 3; do cut_off "n$n" 10.77.0.4; done
sleep 15
for n in 1 2 3; do mend "n$n" 10.77.0.4; done
sleep 5
live_end "$at"
row nats 's in which listeners read nothing, all hosts, 15 s' - "$reads_s"
row nats 'texts that came twice: two owners' 0 "$doubled"
