# SPDX-License-Identifier: GPL-3.0-or-later
# Two hosts lose the way to each other, and nothing else.

live_begin 6 5
at=$(now)
cut_off n1 10.77.0.12
cut_off n2 10.77.0.11
sleep 15
mend n1 10.77.0.12
mend n2 10.77.0.11
live_end "$at"
row neighbour "texts lost, of $((phrases * 5))" 0 "$lost"
row neighbour 'texts that came twice: two owners' 0 "$doubled"
