/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/name_pin.h"

#include <dlfcn.h>
#include <netdb.h>
#include <stddef.h>

static _Thread_local const char *pinned;

/* Replaces the C library's function, also for shared libraries. */
__attribute__((visibility("default"))) int
getaddrinfo(const char *name, const char *port, const struct addrinfo *hints,
    struct addrinfo **to)
{
	__typeof__(getaddrinfo) *of_system =
	    (__typeof__(getaddrinfo) *)dlsym(RTLD_NEXT, "getaddrinfo");
	struct addrinfo numeric = { .ai_flags = 0 };

	if (of_system == NULL)
		return EAI_FAIL;
	if (hints != NULL)
		numeric = *hints;
	if (pinned == NULL || name == NULL || (numeric.ai_flags & AI_NUMERICHOST) != 0)
		return of_system(name, port, hints, to);
	numeric.ai_flags |= AI_NUMERICHOST;
	return of_system(pinned, port, &numeric, to);
}

bool
name_pin(const char *ip)
{
	pinned = ip;
	return dlsym(RTLD_DEFAULT, "getaddrinfo") == (void *)getaddrinfo;
}
