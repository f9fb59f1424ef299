#ifndef SPEECH_PRONUNCIATION_H
#define SPEECH_PRONUNCIATION_H

#include "base/arena.h"
#include "base/err.h"
#include "base/field.h"

/*
 * How English speakers say words, as eSpeak NG has it.  It runs in a process, as it
 * keeps its state in globals and the words may be anybody's:
 *
 *	dragoman-speech --phones <WORDS >PHONES
 *
 * WORDS and PHONES are lines; arpabet.h has the phones, and a line without any is of a
 * word that cannot be said.
 */
#define PRONUNCIATION_BYTES (64 << 10) /* of words */

/*
 * For each word, of const char *, its phones or NULL, in the arena.  ERR_LIMIT: the
 * words have more than PRONUNCIATION_BYTES; ERR_FAILED, ERR_TIMEOUT: of the process.
 */
enum err pronunciation_ask(struct arena *, const char *bin_dir,
    const struct list *words, const char **phones) MUST_CHECK;

#endif
