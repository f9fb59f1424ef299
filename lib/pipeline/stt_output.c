#include "pipeline/stt_output.h"

bool
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
