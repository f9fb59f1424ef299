/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef E2E_ROUTES_H
#define E2E_ROUTES_H

#include "world.h"

struct route_line {
	char method[8], path[80];
	char needs[40]; /* a scope, "public" or "open" */
};

struct routes {
	const struct route_line *r;
	size_t n;
};

/* The output of every program below cgi-bin/ for --routes. */
struct routes routes_of_instance(void);
/* The output of the gateway: WHIP and WHEP. */
struct routes routes_of_gateway(void);

#endif
