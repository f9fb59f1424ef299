/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BENCH_PEERS_INSERT_H
#define BENCH_PEERS_INSERT_H

#include <stdint.h>

/*
 * Measures how many glossaries of this account several processes write per second into
 * the SQLite file db. Each glossary is an INSERT like the service's, prepared once, in
 * its own transaction, with synchronous=FULL and foreign keys. The processes wait for
 * each other as the service does, a quarter of a millisecond at a time.
 */
struct inserted {
	double rate;   /* glossaries per second; 0: the measurement failed */
	double cpu_us; /* processor time of each glossary */
};

struct inserted insert_rows(
    const char *db, const char *account, int writers, int64_t for_us);

#endif
