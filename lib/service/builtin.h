#ifndef SERVICE_BUILTIN_H
#define SERVICE_BUILTIN_H

#include "base/conf.h"
#include "db/db.h"

struct builtin_report {
	int made;   /* voices that were not there */
	int there;  /* voices that were */
	int silent; /* of those made: without a sample, for lack of an engine */
};

/* Make the built-in voices that are missing, each with a spoken sample. */
enum err builtin_install(struct db *, struct arena *, const struct conf *,
    struct builtin_report *) MUST_CHECK;

#endif
