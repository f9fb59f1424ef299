/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_WEBSOCKET_FUZZ_HEALTHY_H
#define TESTS_WEBSOCKET_FUZZ_HEALTHY_H

#include <stdatomic.h>

#include "endpoint.h"

/*
 * A client without faults, which sends one phrase after the other and requires that
 * each of them is answered, once, and in full.
 */
struct healthy {
	struct endpoint endpoint;
	enum kind kind;
	bool by_web;       /* through the web server, not straight to the gateway */
	atomic_bool *over; /* it is time to stop */
	atomic_int phrases;
	double longest_s;  /* behind a phrase and its silence, for its answer */
	const char *wrong; /* why it stopped before, or NULL */
};

/* A thread's: of a struct healthy, whose wrong lives in its own arena. */
void *healthy_run(void *);

#endif
