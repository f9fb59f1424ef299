/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_LANG_H
#define BASE_LANG_H

#include <stdbool.h>
#include <stddef.h>

#include "base/arena.h"

/* Language codes that a field may hold, in lower case; NULL-terminated. */
extern const char *const lang_voice[];           /* L1: lang_code of voices */
extern const char *const lang_glossary_source[]; /* GS */
extern const char *const lang_glossary_target[]; /* GT */
extern const char *const lang_glossary_any[];    /* GS or GT */
extern const char *const lang_spoken[];          /* LS: languages spoken on a channel */
extern const char *const lang_target[];     /* LT: languages that it is translated to */
extern const char *const lang_listenable[]; /* LT and original: to listen to */

/* True if the code is in the list, with the same spelling. */
bool lang_in(const char *const *list, const char *code);
/* "es-mx" -> "es". */
const char *lang_base(struct arena *, const char *code);
/* "es_MX" -> "es-mx", as the lists spell it. */
const char *lang_fold(struct arena *, const char *code);
/* As lang_fold(), without an arena; false: too long for a code. */
#define LANG_BYTES 16
bool lang_spell(const char *code, char to[LANG_BYTES]);
/* True if two folded codes have one base, like "es" and "es-mx". */
bool lang_same_base(const char *, const char *);
/* True if it is written from right to left. */
bool lang_is_right_to_left(const char *);
/* True if blanks separate its words. */
bool lang_has_blanks(const char *);
/*
 * True if the n bytes are the code, or its part before a hyphen: "es" covers "es-mx",
 * "e" does not. Case is ignored, and "_" equals "-".
 */
bool lang_covers(const char *word, size_t n, const char *code);
/* As lang_covers(), for a list separated by blanks or commas; NULL covers every code.
 */
bool lang_covered(const char *words, const char *code);
/* Returns the language's ISO 639-2 code, as MP4 uses it; "und": the code is unknown, or
   NULL. */
const char *lang_three_letters(const char *code);
/*
 * True if a track's tag names the language of a code: by two letters or three, in
 * either form of ISO 639-2, with or without a region, alone or in a comma-separated
 * list.
 */
bool lang_is_named(const char *tag, const char *code);
/* True if it is "auto" in any spelling: the language must be detected. */
bool lang_is_auto(const char *code);

/* A language as a client names it: any case, `_` or `-`. */
struct language_code {
	const char *said; /* code as sent; NULL: none */
	const char *code; /* code folded by lang_fold(), as in these lists: "es-mx" */
};

/*
 * True for codes that the sockets accept: those of all lists except "auto" and
 * "original". Engines decide which languages they support.
 */
bool language_code_known(const char *folded);
/* True for the folded codes "original" and "all", which are no targets. */
bool language_code_is_no_target(const char *);
/* Call fn for each known code, some twice, until it returns true; return that. */
bool language_code_any(bool (*fn)(void *, const char *code), void *arg);

#endif
