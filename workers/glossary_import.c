/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Imports the terms of a glossary's file: all of them, or none and a list of the file's
 * faults.
 */
#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/buf.h"
#include "base/log.h"
#include "blob/blob.h"
#include "service/node.h"
#include "service/terms.h"
#include "service/webhook_records.h"
#include "service/xlsx.h"
#include "work/work.h"

static enum err
read_file(struct work *w, const char *name, struct buf *to)
{
	struct blob_file f;
	enum err e;
	ssize_t n;
	char *p;

	if ((e = blob_open(w->conf, w->mem, name, &f)) != OK)
		return e;
	buf_room(to, (size_t)f.bytes + 1);
	do {
		p = buf_room(to, 1); /* it may change cap, which is read below */
		n = read(f.fd, p, to->cap - to->len);
		to->len += n > 0 ? (size_t)n : 0;
	} while (n > 0);
	return n == 0 ? OK : blob_failed("read a glossary's file", errno);
}

/* Replace the bytes of a workbook by its rows. It was read before, when it arrived. */
static enum err
read_workbook(struct work *w, const struct glossary *g, struct buf *file)
{
	struct buf csv = { .mem = w->mem };
	const char *why;
	enum err e = xlsx_csv(w->mem, file->p, file->len, &csv, &why);

	if (e != OK)
		log_error("glossary %s: %s", g->id, why);
	*file = csv;
	return e == OK ? OK : ERR_FAILED;
}

static enum err
read_terms(struct work *w, const struct glossary *g, struct terms *t)
{
	struct buf file = { .mem = w->mem };
	struct terms_form form = { .columns = glossary_columns(g) };
	struct blob b;
	enum err e;

	if ((e = blob_get(w->db, w->mem, g->blob, &b)) != OK ||
	    (e = read_file(w, b.file, &file)) != OK)
		return e;
	if (strncmp(b.mime_type, XLSX_TYPE, strlen(XLSX_TYPE)) == 0 &&
	    (e = read_workbook(w, g, &file)) != OK)
		return e;
	form.headed = strstr(b.mime_type, TERMS_HEADED) != NULL;
	terms_read(w->mem, file.p, file.len, &form, t);
	return OK;
}

/* Import in the caller's transaction, with the messages to webhooks. */
static enum err
import_terms(struct work *w, const struct glossary *g, const struct terms *t)
{
	enum err e = glossary_import(w->db, g, t);

	return e != OK ? e
		       : webhook_glossary(w->db, w->mem, w->conf, g->account, g->id);
}

static enum job_end
import(struct work *w, const struct job *jb, const char **why)
{
	struct glossary g;
	struct terms t;
	enum err e = glossary_get(w->db, w->mem, jb->account, jb->ref, &g);

	if (e == ERR_NOT_FOUND || (e == OK && strcmp(g.status, "pending") != 0))
		return JOB_DONE; /* deleted, or imported before */
	if (e == OK && (e = read_terms(w, &g, &t)) == OK &&
	    (e = db_begin(w->db, g.account)) == OK)
		e = import_terms(w, &g, &t);
	if (e == OK)
		return JOB_DONE;
	*why = err_name(e);
	return e == ERR_STALE ? JOB_AGAIN : job_failed(e);
}

/*
 * The file could not be read for hours. It may be correct, so no fault is reported. The
 * glossary becomes failed, so that a file can be uploaded again.
 */
static enum err
give_up(struct work *w, const struct job *jb, const char *why)
{
	static const struct terms none = { 0, "", "" };
	struct glossary g;
	enum err e = glossary_get(w->db, w->mem, jb->account, jb->ref, &g);

	(void)why;
	if (e == OK && g.blob != NULL)
		e = import_terms(w, &g, &none);
	return e == ERR_NOT_FOUND || e == ERR_STALE ? OK : e;
}

static const struct job_kind kinds[] = {
	{ "glossary.import", import, give_up, .lease_s = 120, .tries = 10 },
	{ NULL },
};

#ifndef UNIT_TEST
int
main(int argc, char **argv)
{
	static const struct worker is = { "glossary_import", kinds, NULL, node_is_fit };

	return work(&is, argc, argv);
}
#endif
