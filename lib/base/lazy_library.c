/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/lazy_library.h"

#include <dlfcn.h>
#include <stdlib.h>

#include "base/log.h"

static void
load(struct lazy_library *l)
{
	void *library = dlopen(l->file, RTLD_NOW | RTLD_LOCAL);

	for (size_t i = 0; library != NULL && i < l->n; i++)
		if ((l->functions[i] = dlsym(library, l->names[i])) == NULL)
			library = NULL;
	if (library == NULL) {
		log_error("%s cannot be loaded: %s", l->file, dlerror());
		exit(EXIT_FAILURE);
	}
	l->loaded = true;
}

void
lazy_library_load(struct lazy_library *l)
{
	pthread_mutex_lock(&l->lock);
	if (!l->loaded)
		load(l);
	pthread_mutex_unlock(&l->lock);
}
