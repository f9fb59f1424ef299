#ifndef PIPELINE_STT_OUTPUT_H
#define PIPELINE_STT_OUTPUT_H

#include "protocol/output.h"

#define STT_FIN "<fin>" /* ends the text that answers "finalize" */

/*
 * The message for a recognized text.  final: with STT_FIN appended if finalizing.  Not
 * final: with the difference to the text sent last, which ended at text_us.  Returns
 * whether STT_FIN was appended.
 */
bool stt_output(struct buf *, const struct output_stt *, bool final, const char *text,
    int64_t text_us, bool finalizing);

#endif
