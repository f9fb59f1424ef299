#include "service/voice_copies.h"

#include "store/voices.h"
#include "work/queue.h"

/* The worker reads the ref "ENGINE/NAME". */
static enum err
forget(struct db *db, struct arena *mem, const char *account, const char *engine,
    const char *name)
{
	if (name == NULL)
		return OK;
	return queue_add(
	    db, mem, "voice.forget", account, arena_printf(mem, "%s/%s", engine, name));
}

enum err
voice_copies_forget(struct db *db, struct arena *mem, const struct conf *conf,
    const char *account, const char *id)
{
	struct list l;
	enum err e = voice_copies(db, mem, account, id, &l);

	for (size_t i = 0; i < l.n && e == OK; i++) {
		const struct voice_copy *c = (struct voice_copy *)l.items + i;

		e = forget(db, mem, account, conf->speech_clone, c->own);
		if (e == OK)
			e = forget(
			    db, mem, account, conf->speech_external, c->external);
	}
	return e;
}
