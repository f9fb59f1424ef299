#ifndef BASE_LANG_H
#define BASE_LANG_H

#include "base/arena.h"

/* Language codes that a field may hold, in lower case; NULL-terminated. */
extern const char *const lang_voice[];           /* L1: lang_code of voices */
extern const char *const lang_glossary_source[]; /* GS */
extern const char *const lang_glossary_target[]; /* GT */
extern const char *const lang_spoken[];          /* LS: what is said on a channel */
extern const char *const lang_target[];          /* LT: what it is translated to */
extern const char *const lang_heard[];           /* LT and original: to listen to */

/* "es-mx" -> "es". */
const char *lang_base(struct arena *, const char *code);

#endif
