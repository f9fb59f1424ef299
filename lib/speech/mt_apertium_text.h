#ifndef SPEECH_MT_APERTIUM_TEXT_H
#define SPEECH_MT_APERTIUM_TEXT_H

#include "base/buf.h"
#include "speech/mt_apertium_term.h"

/* Text as the programs of a pipeline read and write it; private to the engine. */

/* A text without what means something to the programs. */
void apertium_put_escaped(struct buf *, const char *, size_t);
/* The text with its terms, which are as apertium_terms() found them. */
const char *apertium_write(
    struct arena *, const struct mt_text *, const struct apertium_term *);
/* What came back for it, with slots in place of the terms: see placeholders.h. */
const char *apertium_read(struct arena *, const struct mt_text *,
    const struct apertium_term *, const char *answer);

#endif
