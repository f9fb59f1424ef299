#ifndef PROTOCOL_LANGUAGE_CODE_H
#define PROTOCOL_LANGUAGE_CODE_H

#include <stdbool.h>

#include "base/arena.h"

/* A language as a client names it: any case, `_` or `-`. */
struct language_code {
	const char *said; /* as sent; NULL: none */
	const char *code; /* by lang_fold(), as in the lists of base/lang.h: "es-mx" */
};

/* Is the folded code in one of the lists?  "auto" and "original" are not. */
bool language_code_known(const char *);
/* Folded "original" or "all": languages to listen to that are no target. */
bool language_code_is_no_target(const char *);
/* Call fn for each known code, some twice, until it returns true; return that. */
bool language_code_any(bool (*fn)(void *, const char *code), void *arg);

#endif
