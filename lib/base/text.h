#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Text is UTF-8; its length is counted in Unicode code points. */
bool text_valid(const char *, size_t bytes);
size_t text_length(const char *);
/* Unicode case folding, marks removed: "München" and "MUNCHEN" are "munchen". */
const char *text_fold(struct arena *, const char *);
/* Only letters (categories L and M), digits (Nd) and the ASCII characters given. */
bool text_only(const char *, const char *punctuation);
/* ASCII lower case. */
const char *text_lower(struct arena *, const char *);
/* The folded text as a LIKE pattern with ESCAPE '\' that finds it anywhere. */
const char *text_like(struct arena *, const char *);

#endif
