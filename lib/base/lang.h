#ifndef BASE_LANG_H
#define BASE_LANG_H

#include <stdbool.h>

#include "base/arena.h"

/* Language codes that a field may hold, in lower case; NULL-terminated. */
extern const char *const lang_voice[];           /* L1: lang_code of voices */
extern const char *const lang_glossary_source[]; /* GS */
extern const char *const lang_glossary_target[]; /* GT */
extern const char *const lang_glossary_any[];    /* GS or GT */
extern const char *const lang_spoken[];          /* LS: what is said on a channel */
extern const char *const lang_target[];          /* LT: what it is translated to */
extern const char *const lang_heard[];           /* LT and original: to listen to */

/* Whether the code is in the list, spelt as there. */
bool lang_in(const char *const *list, const char *code);
/* "es-mx" -> "es". */
const char *lang_base(struct arena *, const char *code);

#endif
