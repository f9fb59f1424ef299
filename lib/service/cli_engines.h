/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVICE_CLI_ENGINES_H
#define SERVICE_CLI_ENGINES_H

#include "service/cli.h"

/*
 * `engines check`: a sentence through each engine of speech.tts, speech.asr and
 * speech.mt, for the languages of --from and --to. Recognisers get speech of an engine
 * of speech.tts. EXIT_FAILURE: an engine failed, or there was none to try.
 */
int cli_engines_check(struct cli *);
/*
 * As cli_engines_check(), but translate between each two codes of a list, separated by
 * blanks.
 */
int cli_engines_check_pairs(struct cli *, const char *codes);

#endif
