#ifndef PROTOCOL_LANGUAGE_CODE_H
#define PROTOCOL_LANGUAGE_CODE_H

#include <stdbool.h>

#include "base/arena.h"

/* A language as a client names it: case does not count, and `_` is `-`. */
struct language_code {
	const char *said; /* exactly as it was sent; NULL: none */
	const char *code; /* as in the lists of base/lang.h: "es-mx" */
};

/* Lower case, with `-` for `_`; it need not be in any list. */
const char *language_code_fold(struct arena *, const char *);
/* Whether the folded code is in one of the lists; "auto" and "original" are not. */
bool language_code_known(const char *);
/* "original" or "all", folded: what one may listen to that is no target. */
bool language_code_is_no_target(const char *);
/* "es" and "es-mx" have the same base; both are folded. */
bool language_code_same_base(const char *, const char *);
/* The known codes, one call each (some twice), until the function answers true. */
bool language_code_any(bool (*fn)(void *, const char *code), void *arg);

#endif
