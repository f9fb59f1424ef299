/* What no route has: the account itself, its ledger, its files. */
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/csv.h"
#include "base/log.h"
#include "blob/blob.h"
#include "service/account_export_internal.h"
#include "store/blobs.h"
#include "store/ledger.h"
#include "store/listening.h"

#define BATCH 500   /* rows that are read at once */
#define PIECE 65536 /* bytes of a file, likewise */

/* clang-format off */
static const struct field	 file_fields[] = FIELDS(
	{ "blob_id",      F_TEXT, MEMBER(blob, id),           .flags = F_OUT },
	{ "kind",         F_TEXT, MEMBER(blob, kind),         .flags = F_OUT },
	{ "state",        F_TEXT, MEMBER(blob, state),        .flags = F_OUT },
	{ "mime_type",    F_TEXT, MEMBER(blob, mime_type),    .flags = F_OUT },
	{ "filename",     F_TEXT, MEMBER(blob, filename),     .flags = F_OUT },
	{ "display_name", F_TEXT, MEMBER(blob, display_name), .flags = F_OUT },
	{ "description",  F_TEXT, MEMBER(blob, description),  .flags = F_OUT },
	{ "voice_id",     F_TEXT, MEMBER(blob, voice),        .flags = F_OUT },
	{ "size_bytes",   F_INT,  MEMBER(blob, bytes),        .flags = F_OUT },
	{ "created_at",   F_TIME, MEMBER(blob, created_us),   .flags = F_OUT },
	{ "stored_at",    F_TIME, MEMBER(blob, stored_us),    .flags = F_OUT }
);
/* clang-format on */

enum err
export_text(struct export_run *x, const char *name, const char *p, size_t n)
{
	struct export_file f;
	enum err e = export_file_begin(x->folder, name, &f);

	if (e != OK)
		return e;
	if ((e = export_file_put(&f, p, n)) == OK)
		return export_file_end(&f);
	export_file_drop(&f);
	return e;
}

enum err
export_account(struct export_run *x, struct arena *mem, const struct account *a)
{
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };

	field_write(&j, NULL, account_fields, a);
	buf_str(&b, "\n");
	return export_text(x, "account.json", b.p, b.len);
}

static enum err
put_entries(struct export_file *f, struct arena *mem, const struct list *entries)
{
	const struct ledger_entry *l = entries->items;
	struct buf b = { .mem = mem };
	char at[TIME_TEXT];

	for (size_t i = 0; i < entries->n; i++)
		buf_printf(&b, "%s,%s,%s,%s,%s\r\n", time_text(l[i].created_us, at),
		    l[i].kind, l[i].credits, csv_cell_guarded(mem, l[i].reference),
		    l[i].event != NULL ? l[i].event : "");
	return export_file_put(f, b.p, b.len);
}

enum err
export_ledger(struct export_run *x)
{
	static const char head[] = "created_at,kind,credits,reference,event_id\r\n";
	struct ledger_entry after = { .id = "", .created_us = 0 };
	struct arena *mem[] = { arena_new(), arena_new() };
	struct list l = { .n = BATCH };
	struct export_file f;
	enum err e = export_file_begin(x->folder, "ledger.csv", &f);

	if (e == OK)
		e = export_file_put(&f, head, strlen(head));
	/* By turns: the last entry of a batch lives while the next one is read. */
	for (int i = 0; e == OK && l.n == BATCH; i = !i) {
		arena_reset(mem[i]);
		e = ledger_after(x->db, mem[i], x->account, &after, BATCH, &l);
		if (e == OK && l.n > 0) {
			e = put_entries(&f, mem[i], &l);
			after = ((struct ledger_entry *)l.items)[l.n - 1];
		}
	}
	if (e == OK)
		e = export_file_end(&f);
	else
		export_file_drop(&f);
	arena_free(mem[0]);
	arena_free(mem[1]);
	return e;
}

enum err
export_series(
    struct export_run *x, struct arena *mem, const char *name, const char *event)
{
	const struct listening_span all = { 0, INT64_MAX, LISTENING_MINUTE_US };
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	struct list l;
	enum err e = listening_series(x->db, mem, event, &all, &l);

	if (e != OK)
		return e;
	jw_list(&j, NULL);
	for (size_t i = 0; i < l.n; i++)
		field_write(&j, NULL, listening_point_fields,
		    (struct listening_point *)l.items + i);
	jw_close(&j);
	buf_str(&b, "\n");
	return export_text(x, name, b.p, b.len);
}

/* ---- files ---- */

static enum err
copy_bytes(struct export_file *f, struct arena *mem, int fd)
{
	char *piece = arena_alloc(mem, PIECE);
	enum err e = OK;
	ssize_t n;

	while (e == OK && (n = read(fd, piece, PIECE)) > 0)
		e = export_file_put(f, piece, (size_t)n);
	return e == OK && n < 0 ? ERR_FAILED : e;
}

static enum err
export_blob(struct export_run *x, struct arena *mem, const struct blob *b)
{
	struct blob_file from;
	struct export_file f;
	enum err e;

	if (!blob_has_bytes(b))
		return OK;
	if ((e = blob_open(x->conf, mem, b->file, &from)) == ERR_NOT_FOUND) {
		log_error("export: there is no file of %s", b->id);
		x->report->missing++;
		return OK;
	}
	if (e != OK || (e = export_file_begin(
			    x->folder, arena_printf(mem, "files/%s", b->id), &f)) != OK)
		return e;
	if ((e = copy_bytes(&f, mem, from.fd)) == OK)
		return export_file_end(&f);
	export_file_drop(&f);
	return e;
}

/* A record and its bytes. */
static enum err
put_blob(
    struct export_run *x, struct export_file *list, const struct blob *b, bool *some)
{
	struct arena *mem = arena_new();
	struct buf text = { .mem = mem };
	struct json_writer j = { .out = &text };
	enum err e;

	buf_str(&text, *some ? ",\n" : "[");
	*some = true;
	field_write(&j, NULL, file_fields, b);
	if ((e = export_file_put(list, text.p, text.len)) == OK)
		e = export_blob(x, mem, b);
	arena_free(mem);
	return e;
}

enum err
export_blobs(struct export_run *x, struct arena *mem)
{
	struct list l = { .n = BATCH };
	const char *after = "";
	struct export_file f;
	bool some = false;
	enum err e = export_file_begin(x->folder, "files.json", &f);

	while (e == OK && l.n == BATCH) {
		const struct blob *b;

		e = blob_of_account(x->db, mem, x->account, after, BATCH, &l);
		b = l.items;
		for (size_t i = 0; e == OK && i < l.n; i++) {
			e = put_blob(x, &f, &b[i], &some);
			after = b[i].id;
		}
	}
	if (e == OK)
		e = export_file_put(&f, some ? "]\n" : "[]\n", some ? 2 : 3);
	if (e == OK)
		return export_file_end(&f);
	export_file_drop(&f);
	return e;
}
