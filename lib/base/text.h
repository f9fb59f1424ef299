#ifndef BASE_TEXT_H
#define BASE_TEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/arena.h"

/* Text is UTF-8; its length is counted in Unicode code points. */
bool text_valid(const char *, size_t bytes);
size_t text_length(const char *);
/* The code point at s, which is valid and not at its end; the answer is the next. */
const char *text_next(const char *s, uint32_t *cp);
/* Write a code point as up to 4 bytes; how many: 0 if there is no such character. */
size_t text_put(char *, uint32_t cp);
/* Unicode case folding, marks removed: "München" and "MUNCHEN" are "munchen". */
const char *text_fold(struct arena *, const char *);
/* Only letters (categories L and M), digits (Nd) and the ASCII characters given. */
bool text_only(const char *, const char *punctuation);
/* ASCII lower case. */
const char *text_lower(struct arena *, const char *);
/* The folded text as a LIKE pattern with ESCAPE '\' that finds it anywhere. */
const char *text_like(struct arena *, const char *);

#endif
