/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BENCH_PEERS_INSERT_H
#define BENCH_PEERS_INSERT_H

#include <stdint.h>

/*
 * Measures how many glossaries of this account a number of processes write per second
 * into the SQLite file db. Each is the INSERT of the service in a transaction of its
 * own, prepared once, with synchronous=FULL and foreign keys. The processes wait for
 * each other as the service does, a quarter of a millisecond at a time.
 */
struct inserted {
	double rate;   /* per second; 0: they cannot */
	double cpu_us; /* processor time of each */
};

struct inserted insert_rows(
    const char *db, const char *account, int writers, int64_t for_us);

#endif
