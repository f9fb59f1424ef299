#include "gateway/stt.h"

bool
stt_say(struct buf *b, const struct say_stt *now, bool final, const char *text,
    int64_t text_us, bool finalizing)
{
	struct say_stt t = *now;
	const struct say_stt before = { now->id, now->language, text, now->start_us,
		text_us };

	if (!final) {
		say_stt_partial(b, now, text[0] != '\0' ? &before : NULL);
		return false;
	}
	if (finalizing)
		t.text = arena_printf(b->mem, "%s" STT_FIN, now->text);
	say_stt_final(b, &t);
	return finalizing;
}
