/*
 * Is a plain upload what it was declared to be?  If not, its bytes go.
 */
#include <string.h>

#include "blob/blob.h"
#include "media/media.h"
#include "store/blobs.h"
#include "work/work.h"

static enum err
judge(struct work *w, const struct blob *b, bool *fine)
{
	struct media_at at = { arena_printf(
				   w->mem, "%s/dragoman-media", w->conf->bin_dir),
		(int)w->conf->engine_timeout_ms };
	struct media_info info;
	struct blob_file file;
	enum err e;

	if ((e = blob_open(w->conf, w->mem, b->file, &file)) != OK)
		return e;
	e = media_check(&at, w->mem, file.path, b->mime_type, &info);
	*fine = info.verdict == MEDIA_FINE;
	return e;
}

static enum job_end
check(struct work *w, const struct job *jb, const char **why)
{
	struct blob b;
	bool fine = false;
	enum err e = blob_get(w->db, w->mem, jb->ref, &b);

	if (e == ERR_NOT_FOUND || (e == OK && strcmp(b.state, "stored") != 0))
		return JOB_DONE; /* deleted, or judged before */
	if (e == OK)
		e = judge(w, &b, &fine);
	if (e == OK)
		e = db_begin(w->db);
	if (e == OK)
		e = fine ? blob_checked(w->db, b.id, b.file) : blob_reject(w->db, &b);
	if (e == OK)
		return JOB_DONE;
	*why = err_name(e); /* stale: a newer file came, which is judged next */
	return JOB_RETRY;
}

/* A file that cannot be judged is not kept. */
static enum err
give_up(struct work *w, const struct job *jb, const char *why)
{
	struct blob b;
	enum err e = blob_get(w->db, w->mem, jb->ref, &b);

	(void)why;
	if (e == OK && strcmp(b.state, "stored") == 0)
		e = blob_reject(w->db, &b);
	return e == ERR_NOT_FOUND ? OK : e;
}

int
main(int argc, char **argv)
{
	static const struct job_kind kinds[] = {
		{ "blob.check", check, give_up, .lease_s = 180, .tries = 5 },
		{ NULL },
	};
	static const struct worker is = { "blob_check", kinds, NULL };

	return work(&is, argc, argv);
}
