# SPDX-License-Identifier: GPL-3.0-or-later
# All processes of a host are killed at once.

live_begin 6 5
victim=$(busiest)
at=$(now)
signal KILL "n$victim"
sleep 25
live_end "$at"
row killed 's in which a speaker was not heard' 8 "$heard_s"
row killed 's in which listeners read nothing' 10 "$reads_s"
row killed "texts that came twice" 0 "$doubled"
row killed "texts lost, of $((phrases * 5))" - "$lost"
host_up "$victim"
