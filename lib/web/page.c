/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Pages of a list.  A token contains its query and the position to continue from,
 * packed, after a keyed hash that binds it to the account and the route:
 * base64url(HMAC-SHA256[0..16] | page_token_query()).
 */
#include <string.h>

#include "base/base64.h"
#include "web/page_token.h"
#include "web/policy.h"

#define MAC_BYTES 16
#define TOKEN_MAX 8192 /* longest token read; normal queries stay below 512 */

const char *const page_sorts[] = { "asc", "desc", NULL };

bool
page_ascending(const struct page *p)
{
	return p->sort != NULL && strcmp(p->sort, "asc") == 0;
}

static void
sign(const struct request *rq, const void *p, size_t n, unsigned char mac[SHA256_BYTES])
{
	struct buf b = { .mem = rq->mem };

	buf_printf(&b, "%s %s\n", rq->who != NULL ? rq->who->account : "public",
	    rq->route->path);
	buf_put(&b, p, n);
	hmac(rq->app->page_key, sizeof(rq->app->page_key), b.p, b.len, mac);
}

static const char *
token_of(struct request *rq)
{
	struct buf packed = { .mem = rq->mem };
	unsigned char mac[SHA256_BYTES] = { 0 };

	buf_put(&packed, mac, MAC_BYTES);
	page_token_query(&packed, rq->route->query, rq->query);
	sign(rq, packed.p + MAC_BYTES, packed.len - MAC_BYTES, mac);
	memcpy(packed.p, mac, MAC_BYTES);
	return base64url(rq->mem, packed.p, packed.len);
}

/* Unpack a token that was issued for this account and route; else NULL. */
static struct page *
open_token(struct request *rq, const char *token)
{
	struct page *page = arena_alloc(rq->mem, rq->route->query_size);
	unsigned char mac[SHA256_BYTES], *packed;
	size_t bytes;

	if (strlen(token) > TOKEN_MAX)
		return NULL;
	packed = base64_read(rq->mem, token, strlen(token), &bytes);
	if (packed == NULL || bytes < MAC_BYTES ||
	    strcmp(base64url(rq->mem, packed, bytes), token) != 0)
		return NULL;
	sign(rq, packed + MAC_BYTES, bytes - MAC_BYTES, mac);
	if (!same_bytes(mac, packed, MAC_BYTES) ||
	    !page_token_read(
		rq->mem, packed + MAC_BYTES, bytes - MAC_BYTES, rq->route->query, page))
		return NULL;
	return page;
}

/* True if the parameter has the same value in both structs. */
static bool
agree(struct request *rq, const struct field *f, const void *a, const void *b)
{
	struct field alone[2] = { *f, FIELDS_END };

	return field_same(rq->mem, alone, a, b);
}

/* True for parameters that must not accompany a token. */
static bool
sets_page(const struct request *rq, const struct field *f)
{
	return strcmp(f->name, "sort") == 0 || (strcmp(f->name, "page_size") == 0 &&
						   !strcmp(rq->route->token, "token"));
}

static bool
refuse(struct request *rq, struct reply *no, const char *what)
{
	*no = problem_at(rq, P_BAD_PAGE_TOKEN, NULL, rq->route->token, "%s %s",
	    rq->route->token, what);
	return false;
}

/* Continue with the query in the token, as rq->query. */
static bool
continue_query(
    struct request *rq, struct page *page, const struct json *given, struct reply *no)
{
	const struct page *asked = rq->query;

	rq->query = page;
	if (rq->route->page_size > 0)
		page->size = rq->route->page_size;
	for (const struct field *f = rq->route->query; f->name != NULL; f++) {
		if (json_get(given, f->name) == NULL)
			continue;
		if (strcmp(f->name, "page_size") == 0)
			page->size = asked->size;
		else if (!agree(rq, f, asked, page))
			return refuse(rq, no, "belongs to other filters.");
	}
	return true;
}

bool
page_read(struct request *rq, const struct json *given, struct reply *no)
{
	const struct json *token = json_get(given, rq->route->token);
	struct page *page;

	((struct page *)rq->query)->after_us = NULL_INT;
	if (rq->route->page_size > 0)
		((struct page *)rq->query)->size = rq->route->page_size;
	if (token == NULL)
		return true;
	for (const struct field *f = rq->route->query; f->name != NULL; f++)
		if (json_get(given, f->name) != NULL && sets_page(rq, f))
			return refuse(
			    rq, no, "must not be combined with sort or page_size.");
	if (token->type != JSON_TEXT || (page = open_token(rq, token->u.s)) == NULL)
		return refuse(rq, no, "is not valid.");
	return continue_query(rq, page, given, no);
}

int64_t
page_limit(const struct page *p)
{
	return p->size != NULL_INT ? p->size : PAGE_SIZE;
}

const char *
page_next(struct request *rq, int64_t last_us, const char *last_id)
{
	struct page *page = rq->query;
	const char *token;

	page->after_us = last_us;
	page->after_id = last_id;
	token = token_of(rq);
	header(rq, "Link", "<%s%.*s?%s=%s>; rel=\"next\"", rq->conf->server_base_url,
	    (int)strcspn(rq->target, "?"), rq->target, rq->route->token, token);
	return token;
}

const char *
page_cut(struct request *rq, struct list *items, struct list_item is)
{
	int64_t limit = page_limit(rq->query);
	char *last;

	if ((int64_t)items->n <= limit)
		return NULL;
	items->n = (size_t)limit;
	last = (char *)items->items + (items->n - 1) * is.bytes;
	return page_next(rq, *(const int64_t *)(void *)(last + is.time),
	    is.id == NO_ID ? "" : *(const char **)(void *)(last + is.id));
}

static void
write_items(struct json_writer *j, const char *key, const struct field *f,
    const struct list *items, size_t size)
{
	size_t before = j->out->len;

	jw_list(j, key);
	for (size_t i = 0; i < items->n; i++) {
		field_write(j, NULL, f, (const char *)items->items + i * size);
		if (i == 0) /* the other items are about as long as the first */
			buf_room(j->out, (items->n - 1) * (j->out->len - before));
	}
	jw_close(j);
}

struct reply
reply_page(
    struct request *rq, const struct field *f, struct list items, struct list_item is)
{
	return reply_page_part(rq, f, items, is, NULL_INT, NULL);
}

struct reply
reply_page_part(struct request *rq, const struct field *f, struct list items,
    struct list_item is, int64_t rest_us, const char *rest_id)
{
	const char *next = page_cut(rq, &items, is);
	struct json_writer j;

	if (next == NULL && rest_us != NULL_INT)
		next = page_next(rq, rest_us, rest_id);
	j = reply_open(rq);
	jw_open(&j, "data");
	write_items(&j, "items", f, &items, is.bytes);
	jw_int(&j, "page_size", page_limit(rq->query));
	jw_int(&j, "count", (int64_t)items.n);
	jw_text(&j, "next", next);
	jw_close(&j);
	return reply_close(rq, &j, 200);
}

struct reply
reply_listed(struct request *rq, const struct field *f, const struct list *items,
    size_t size, const char *token, const char *next)
{
	struct json_writer j = reply_open(rq);

	write_items(&j, "data", f, items, size);
	if (token != NULL)
		jw_text(&j, token, next);
	return reply_close(rq, &j, 200);
}
