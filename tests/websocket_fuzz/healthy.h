/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_WEBSOCKET_FUZZ_HEALTHY_H
#define TESTS_WEBSOCKET_FUZZ_HEALTHY_H

#include <stdatomic.h>

#include "endpoint.h"

/*
 * A correct client. It sends one phrase after another, and requires that each is
 * answered once and completely.
 */
struct healthy {
	struct endpoint endpoint;
	enum kind kind;
	/* true: through the web server; false: straight to the gateway */
	bool by_web;
	atomic_bool *over; /* set when the client must stop */
	atomic_int phrases;
	double longest_s;  /* time after a phrase and its silence for the answer */
	const char *wrong; /* why it stopped early, or NULL */
};

/*
 * Thread function; the argument is a struct healthy, whose wrong is in its own arena.
 */
void *healthy_run(void *);

#endif
