#include "service/channel_runtime.h"

#include <string.h>

#include "service/webhook_records.h"
#include "store/transcripts.h"

bool
channel_runs(const struct channel *c)
{
	return c->runtime != NULL && strcmp(c->runtime, "active") == 0;
}

/* A run has ended that began at that unix time: were lines of it kept? */
static enum err
tell_transcript(struct db *db, struct arena *mem, const struct conf *conf,
    const struct channel *c, int64_t run_us)
{
	bool any;
	enum err e = transcript_since(db, c->id, run_us, &any);

	return e == OK && any ? webhook_channel(db, mem, conf, c, "transcript.ready")
			      : e;
}

enum err
channel_runtime_put(struct db *db, struct arena *mem, const struct conf *conf,
    const struct channel *was, struct channel *now, int64_t run_us)
{
	enum err e;

	if ((e = channel_put(db, mem, was, now)) != OK ||
	    (e = webhook_channel_changed(db, mem, conf, was, now)) != OK)
		return e;
	return channel_runs(was) && !channel_runs(now)
		   ? tell_transcript(db, mem, conf, now, run_us)
		   : OK;
}
