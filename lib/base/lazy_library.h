/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_LAZY_LIBRARY_H
#define BASE_LAZY_LIBRARY_H

#include <pthread.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>

/*
 * A library that is loaded at the first call of one of its functions.  Most programs
 * never need it, and loading it with what it depends on would be half of their start.
 * A header lists the functions in use, declares their table with LAZY_LIBRARY(), and
 * defines each function's name as (*TABLE_use()->name), so that calls look as usual; a
 * .c file has LAZY_LIBRARY_IS().
 */
struct lazy_library {
	const char *file; /* "libpq.so.5" */
	const char *const *names;
	size_t n;
	void **functions; /* in the order of their names */
	pthread_mutex_t lock;
	atomic_bool loaded;
};

/* Load it if it is not loaded. Ends the process if the library or a function is
 * missing.
 */
void lazy_library_load(struct lazy_library *);

#define LAZY_MEMBER(name) __typeof__(name) *name;
#define LAZY_NAME(name) #name,
#define LAZY_LIBRARY(table, LIST)                                                      \
	struct table##_functions {                                                     \
		LIST(LAZY_MEMBER)                                                      \
	};                                                                             \
	const struct table##_functions *table##_use(void)
#define LAZY_LIBRARY_IS(table, LIST, soname)                                           \
	const struct table##_functions *table##_use(void)                              \
	{                                                                              \
		static struct table##_functions functions;                             \
		static const char *const names[] = { LIST(LAZY_NAME) };                \
		static struct lazy_library library = { .file = (soname),               \
			.names = names,                                                \
			.n = sizeof(names) / sizeof(names[0]),                         \
			.functions = (void **)&functions,                              \
			.lock = PTHREAD_MUTEX_INITIALIZER };                           \
                                                                                       \
		if (!library.loaded)                                                   \
			lazy_library_load(&library);                                   \
		return &functions;                                                     \
	}                                                                              \
	struct lazy_library

#endif
