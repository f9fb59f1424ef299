#ifndef SPEECH_LANGUAGE_H
#define SPEECH_LANGUAGE_H

/*
 * Languages the built-in synthesiser speaks, by the codes of the API's lists.
 * A regional code that has no entry is looked up by its base, "auto" is "en".
 */

/* The voice's file below espeak-ng-data/lang, "gmw/en-US"; NULL: not spoken. */
const char *language_voice(const char *code);
/* One natural sentence in that language, for samples; NULL: not spoken. */
const char *speech_sample_text(const char *code);

#endif
