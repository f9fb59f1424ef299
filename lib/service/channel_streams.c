#include "service/channel_streams.h"

#include <string.h>

#include "service/egress.h"

int64_t
channel_streams(struct arena *mem, const struct channel *c)
{
	const char *why;
	const struct json *o = json_read(mem, c->outputs, strlen(c->outputs), &why);
	int64_t n = strcmp(c->input_type, "webrtc_push") != 0;

	for (o = o != NULL ? o->kids : NULL; o != NULL; o = o->next)
		n += egress_makes(o);
	return n;
}

enum err
channel_streams_allow(struct db *db, struct arena *mem, int64_t most,
    const struct channel *was, const struct channel *now)
{
	int64_t own = channel_streams(mem, now), others;
	enum err e;

	if (most == 0 || own <= (was != NULL ? channel_streams(mem, was) : 0))
		return OK;
	e = channels_streaming(db, now->account, now->id, &others);
	return e == OK && others + own > most ? ERR_LIMIT : e;
}
