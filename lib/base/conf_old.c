/*
 * Settings of earlier versions.  One release reads each of them still, and names it
 * once in the log.
 */
#include <string.h>

#include "base/conf_parts.h"
#include "base/log.h"

/* clang-format off */
static const struct {
	const char *name, *notice;
} olds[] = {
	{ "livekit.url",     "is ignored: there is no driver for LiveKit" },
	{ "livekit.api_url", "is ignored: there is no driver for LiveKit" },
};
/* clang-format on */

bool
conf_old_set(const char *name)
{
	for (size_t i = 0; i < sizeof(olds) / sizeof(olds[0]); i++)
		if (strcmp(olds[i].name, name) == 0) {
			log_info("%s %s", name, olds[i].notice);
			return true;
		}
	return false;
}
