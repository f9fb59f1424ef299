#ifndef BASE_LANG_H
#define BASE_LANG_H

#include "base/arena.h"

/* Language codes that a field may hold, in lower case; NULL-terminated. */
extern const char *const lang_voice[]; /* L1: lang_code of voices */

/* "es-mx" -> "es". */
const char *lang_base(struct arena *, const char *code);

#endif
