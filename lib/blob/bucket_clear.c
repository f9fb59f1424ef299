/*
 * What is below a prefix of the bucket goes.
 */
#include <string.h>

#include "base/clock.h"
#include "base/log.h"
#include "base/xml.h"
#include "blob/bucket_internal.h"

#define PAGE "100" /* keys: fewer bytes than XML_READ_BYTES */

/* All that is below the prefix; newest_us: of what was put last. */
struct found {
	const char *prefix;
	struct buf names; /* const char *: keys */
	size_t n;
	int64_t newest_us;
};

enum { KEY, MODIFIED, TEXTS };

/* Another than our own prefix is not touched, whatever the bucket answers. */
static void
take_rows(struct found *f, const struct list *rows)
{
	const struct xml_text(*row)[TEXTS] = rows->items;
	int64_t us;

	for (size_t i = 0; i < rows->n; i++) {
		const char *key = row[i][KEY].text, *when = row[i][MODIFIED].text;

		if (key == NULL || strncmp(key, f->prefix, strlen(f->prefix)) != 0)
			continue;
		/* A time that cannot be read is now. */
		if (when == NULL || !time_parse(when, &us))
			us = now_us();
		f->newest_us = us > f->newest_us ? us : f->newest_us;
		buf_put(&f->names, &key, sizeof(key));
		f->n++;
	}
}

/* The next page behind the last key; *more: there is another one. */
static enum err
list_page(const struct conf *c, struct arena *mem, struct found *f, bool *more)
{
	static const char *const names[] = { "Key", "LastModified" };
	const char *const *keys = (const char *const *)(void *)f->names.p;
	const struct sigv4_param params[] = { { "list-type", "2" },
		{ "max-keys", PAGE }, { "prefix", f->prefix },
		{ "start-after", f->n > 0 ? keys[f->n - 1] : "" } };
	struct xml_text cut[] = { { "IsTruncated", NULL } };
	size_t was = f->n;
	struct http_answer a;
	struct xml_rows found = {
		.element = "Contents", .names = names, .ntexts = TEXTS
	};
	enum err e;

	if ((e = blob_bucket_list(c, mem, params, f->n > 0 ? 4 : 3, &a)) != OK)
		return e;
	if ((e = http_verdict(a.status)) != OK ||
	    !xml_read(mem, a.body, a.body_len, cut, 1) ||
	    !xml_read_rows(mem, a.body, a.body_len, &found)) {
		log_warn("blob: the list of %s answers %d", f->prefix, a.status);
		return e != OK ? e : ERR_REFUSED;
	}
	take_rows(f, &found.rows);
	*more = f->n > was && cut[0].text != NULL && strcmp(cut[0].text, "true") == 0;
	return OK;
}

enum err
blob_bucket_clear(
    const struct conf *c, struct arena *mem, const char *prefix, int64_t before_us)
{
	struct found f = { .prefix = arena_printf(mem, "%s/", prefix),
		.names = { .mem = mem } };
	const char *const *keys;
	bool more = true;
	enum err e = OK;

	if (strcmp(c->blob_store, BLOB_S3) != 0)
		return OK;
	while (e == OK && more && f.n < BLOB_CLEAR_MOST)
		e = list_page(c, mem, &f, &more);
	keys = (const char *const *)(void *)f.names.p;
	for (size_t i = 0; e == OK && f.newest_us < before_us && i < f.n; i++)
		e = blob_remove(c, mem, keys[i]);
	return e;
}
