#ifndef STORE_LANGUAGES_H
#define STORE_LANGUAGES_H

#include "base/field.h"

/* Whether a list of const char * has this one. */
bool languages_have(const struct list *, const char *language);
/* Whether there is room for it beside them, of at most so many (0: any number). */
bool languages_fit(const struct list *, const char *language, int64_t most);
/* Add those of the second list that the first has not; its items are its own. */
void languages_add(struct arena *, struct list *, const struct list *);

#endif
