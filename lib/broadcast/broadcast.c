/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "broadcast/broadcast.h"

#include <string.h>

#include "base/log.h"

static const struct broadcast_driver *const drivers[] = {
	&broadcast_gateway,
	&broadcast_janus,
#ifdef TEST_DRIVER
	&TEST_DRIVER,
#endif
};

const struct broadcast_driver *
broadcast_driver(const struct conf *c)
{
	for (size_t i = 0; i < sizeof(drivers) / sizeof(drivers[0]); i++)
		if (strcmp(drivers[i]->name, c->broadcast_driver) == 0)
			return drivers[i];
	log_error("broadcast.driver: there is no driver %s", c->broadcast_driver);
	return NULL;
}

static bool
has_all(const struct conf *c)
{
	const struct broadcast_driver *d = broadcast_driver(c);
	const char *what = NULL;

	if (d != NULL && d->lacks != NULL)
		what = d->lacks(c);
	if (what != NULL)
		log_error("broadcast.driver %s: %s", d->name, what);
	return d != NULL && what == NULL;
}

bool
broadcast_known(void)
{
	struct arena *mem = arena_new();
	struct conf c;
	/* The program that uses a setting reports it if it cannot be read. */
	bool known = conf_read(mem, &c) != OK || has_all(&c);

	arena_free(mem);
	return known;
}

static bool
lists(const char *const *protocols, const char *one)
{
	while (*protocols != NULL && strcmp(*protocols, one) != 0)
		protocols++;
	return *protocols != NULL;
}

bool
broadcast_has_input(const struct broadcast_driver *d, const char *input)
{
	return lists(d->inputs, input);
}

bool
broadcast_has_output(const struct broadcast_driver *d, const char *output)
{
	return lists(d->outputs, output);
}
