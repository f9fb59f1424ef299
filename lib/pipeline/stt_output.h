/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef PIPELINE_STT_OUTPUT_H
#define PIPELINE_STT_OUTPUT_H

#include "protocol/output.h"

#define STT_FIN "<fin>" /* ends the text that answers "finalize" */

/*
 * The message for a recognized text.  final: with STT_FIN appended if finalizing.  Not
 * final: with the difference to the text sent last, which ended at text_us.  Returns
 * whether STT_FIN was appended.
 */
static inline bool
stt_output(struct buf *b, const struct output_stt *now, bool final, const char *text,
    int64_t text_us, bool finalizing)
{
	struct output_stt t = *now;
	const struct output_stt before = { now->id, now->language, text, now->start_us,
		text_us };

	if (!final) {
		output_stt_partial(b, now, text[0] != '\0' ? &before : NULL);
		return false;
	}
	if (finalizing)
		t.text = arena_printf(b->mem, "%s" STT_FIN, now->text);
	output_stt_final(b, &t);
	return finalizing;
}

#endif
