#include "service/channel_streams.h"

#include <string.h>

#include "service/egress.h"

bool
channel_streams_has(struct arena *mem, const struct channel *c)
{
	const char *why;
	const struct json *o = json_read(mem, c->outputs, strlen(c->outputs), &why);

	if (strcmp(c->input_type, "webrtc_push") != 0)
		return true;
	for (o = o != NULL ? o->kids : NULL; o != NULL; o = o->next)
		if (egress_makes(o))
			return true;
	return false;
}

enum err
channel_streams_allow(struct db *db, struct arena *mem, int64_t most,
    const struct channel *was, const struct channel *now)
{
	int64_t others;
	enum err e;

	if (most == 0 || !channel_streams_has(mem, now) ||
	    (was != NULL && channel_streams_has(mem, was)))
		return OK;
	e = channels_streaming(db, now->account, now->id, &others);
	return e == OK && others >= most ? ERR_LIMIT : e;
}
