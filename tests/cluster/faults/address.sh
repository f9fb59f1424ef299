# SPDX-License-Identifier: GPL-3.0-or-later
# With NATS, clients that keep the address they once got: their host is killed, and they
# come again at the others, through the balancer.

live_begin 6 5 kept
victim=$(busiest)
at=$(now)
signal KILL "n$victim"
sleep 25
live_end "$at"
row address 's in which a speaker was not heard' 10 "$heard_s"
row address 's in which listeners read nothing' 10 "$reads_s"
row address 'texts that came twice' 0 "$doubled"
row address "texts lost, of $((phrases * 5))" 0 "$lost"
host_up "$victim"
