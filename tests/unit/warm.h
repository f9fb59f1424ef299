/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_WARM_H
#define TESTS_UNIT_WARM_H

#include <semaphore.h>

#include "speech/engine.h"

static inline void
warm_told(void *arg)
{
	sem_post(arg);
}

/* Calls mt_warm(), and waits for its result. */
static inline void
warm(const struct engine_at *at, const char *from, const char *to)
{
	sem_t told;

	sem_init(&told, 0, 0);
	mt_warm(&mt_apertium, at, from, to, warm_told, &told);
	while (sem_wait(&told) != 0)
		;
	sem_destroy(&told);
}

#endif
