#ifndef PIPELINE_STT_OUTPUT_H
#define PIPELINE_STT_OUTPUT_H

#include "protocol/output.h"

#define STT_FIN "<fin>" /* ends the text that answers "finalize" */

/*
 * What was heard as a message: final, with the mark behind it that a finalize asks
 * for; or with what is new since the text that was told last, which went as far as
 * text_us.  Whether the mark was told.
 */
bool stt_output(struct buf *, const struct output_stt *, bool final, const char *text,
    int64_t text_us, bool finalizing);

#endif
