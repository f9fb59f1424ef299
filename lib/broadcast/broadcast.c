#include "broadcast/broadcast.h"

#include <string.h>

#include "base/log.h"

static const struct broadcast_driver *const drivers[] = {
	&broadcast_gateway,
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

bool
broadcast_known(void)
{
	struct arena *mem = arena_new();
	struct conf c;
	/* Settings that cannot be read are told of by who wants to use them. */
	bool known = conf_read(mem, &c) != OK || broadcast_driver(&c) != NULL;

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
broadcast_takes(const struct broadcast_driver *d, const char *input)
{
	return lists(d->inputs, input);
}

bool
broadcast_gives(const struct broadcast_driver *d, const char *output)
{
	return lists(d->outputs, output);
}
