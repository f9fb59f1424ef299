/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "web/static_page.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "web/share.h"

#define FILE_BYTES (256 << 10) /* limit of a file */
#define FOR_GOOD "public, max-age=31536000, immutable"

struct static_file {
	const char *name, *type;     /* name: relative to share.dir */
	const char *table, *version; /* common to all files */
};

/* ---- the policy of a page ---- */

/* Returns the origin of an address, with another scheme unless that is NULL. */
static const char *
origin_of(struct arena *mem, const char *url, const char *scheme)
{
	const char *host = strstr(url, "://");

	if (host == NULL)
		return "";
	host += 3;
	return arena_printf(mem, " %.*s://%.*s",
	    (int)(scheme != NULL ? strlen(scheme) : (size_t)(host - 3 - url)),
	    scheme != NULL ? scheme : url, (int)strcspn(host, "/?#; ,'"), host);
}

/* Returns the origins of a gateway: http or https, and that of its sockets. */
static const char *
gateway_origins(struct arena *mem, const char *url)
{
	return arena_printf(mem, "%s%s", origin_of(mem, url, NULL),
	    origin_of(mem, url, strncmp(url, "https:", 6) == 0 ? "wss" : "ws"));
}

static const char *
all_origins(struct arena *mem, const struct list *urls)
{
	struct buf b = { .mem = mem };

	for (size_t i = 0; urls != NULL && i < urls->n; i++)
		buf_str(
		    &b, gateway_origins(mem, ((const char *const *)urls->items)[i]));
	return buf_text(&b);
}

static const char *
frame_ancestors(struct arena *mem, const char *sites)
{
	if (sites == NULL)
		return "'none'";
	sites += strspn(sites, " ");
	return *sites != '\0' && strpbrk(sites, ";,") == NULL
		   ? arena_printf(mem, "'self' %s", sites)
		   : "'self'";
}

/*
 * The link to a page contains the address to which the page sends a token and the sound
 * of the microphone.  With this policy the browser refuses all addresses but those of
 * the settings.  Sound by plain HTTP comes from the gateways or from the address of
 * HLS, and covers of events from media.url.
 */
static void
restrict_page(struct request *rq, const struct page_policy *p)
{
	const struct conf *c = rq->conf;
	const char *gateways = arena_printf(rq->mem, "%s%s%s",
	    gateway_origins(rq->mem, c->stream_public_url),
	    all_origins(rq->mem, p->streams),
	    origin_of(rq->mem, c->hls_public_url, NULL));
	const char *bucket =
	    p->bucket != NULL ? origin_of(rq->mem, p->bucket, NULL) : "";

	header(rq, "Content-Security-Policy",
	    "default-src 'none'; script-src 'self'; style-src 'self'; "
	    "img-src 'self' blob: data:%s; media-src 'self' blob:%s%s; "
	    "connect-src 'self'%s%s%s; frame-src 'self'; base-uri 'none'; form-action "
	    "'none'; "
	    "frame-ancestors %s; require-trusted-types-for 'script'; "
	    "trusted-types 'none'",
	    origin_of(rq->mem, c->media_url, NULL), gateways, bucket, gateways,
	    origin_of(rq->mem, c->janus_public_url, NULL), bucket,
	    frame_ancestors(rq->mem, p->framed_by));
	header(rq, "Referrer-Policy", "no-referrer");
}

/* ---- files ---- */

static bool
read_all(int fd, char *to, size_t n)
{
	ssize_t did = 0;

	for (; n > 0 && (did = read(fd, to, n)) > 0; to += did)
		n -= (size_t)did;
	return n == 0;
}

static bool
load(struct request *rq, const char *name, struct buf *to)
{
	const char *path = arena_printf(rq->mem, "%s/%s", rq->conf->share_dir, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	size_t n;
	bool good;

	if (fd < 0)
		return false;
	good = fstat(fd, &st) == 0 && st.st_size > 0 && st.st_size < FILE_BYTES;
	n = good ? (size_t)st.st_size : 0;
	good = good && read_all(fd, buf_room(to, n), n);
	close(fd);
	to->len += good ? n : 0;
	return good;
}

/* Parse the rest of a table row, "PATH FILE TYPE", after the path. */
static void
read_row(struct arena *mem, const char *row, struct static_file *f)
{
	size_t n = strcspn(row, " \n");

	f->name = arena_printf(mem, "web/%.*s", (int)n, row);
	row += n + strspn(row + n, " ");
	f->type = arena_printf(mem, "%.*s", (int)strcspn(row, "\n"), row);
}

static bool
find_file(struct request *rq, const char *path, struct static_file *f)
{
	struct buf table = { .mem = rq->mem };
	const char *text, *row;

	if (strpbrk(path, " \n") != NULL || !load(rq, "web/table", &table))
		return false;
	f->table = text = buf_text(&table);
	f->version = arena_printf(rq->mem, "%.*s", (int)strcspn(text, "\n"), text);
	row = strstr(text, arena_printf(rq->mem, "\n%s ", path));
	if (row == NULL)
		return false;
	read_row(rq->mem, row + strlen(path) + 2, f);
	return true;
}

/* Answer with the file, or 304 if the browser has it. */
static struct reply
send_file(struct request *rq, const struct static_file *f)
{
	const char *variant = share_variant(rq, f->name), *tag;

	if (!load(rq, variant, &rq->out))
		return problem(rq, P_NOT_FOUND, "No such resource.");
	tag = arena_printf(
	    rq->mem, "\"%.32s\"", hash_hex(rq->mem, rq->out.p, rq->out.len));
	header(rq, "ETag", "%s", tag);
	header(rq, "Vary", "Accept-Encoding");
	if (etag_known(rq, tag)) {
		rq->out.len = 0;
		return reply_empty(rq, 304);
	}
	header(rq, "Content-Type", "%s", f->type);
	if (variant != f->name)
		header(rq, "Content-Encoding", "gzip");
	return reply_empty(rq, 200);
}

/* ---- preloading ---- */

#define FETCH "preload; as=fetch; crossorigin"

/*
 * Returns the name of the texts in the reader's preferred language (RFC 9110, 12.5.4),
 * or NULL.
 */
static const char *
texts_of(struct request *rq, const char *page, const struct static_file *f)
{
	const char *s = rq->param(rq, "HTTP_ACCEPT_LANGUAGE");

	while (s != NULL && *s != '\0') {
		size_t n;
		const char *path;

		s += strspn(s, ", ");
		n = strcspn(s, "-;, \n");
		path = arena_printf(rq->mem, "/web/i18n%.*s.%.*s.json",
		    (int)strlen(page) - 1, page, (int)n, s);
		if (n > 0 &&
		    strstr(f->table, arena_printf(rq->mem, "\n%s ", path)) != NULL)
			return path;
		s += strcspn(s, ",");
	}
	return NULL;
}

static const char *
script_of(struct request *rq, const char *page, const struct static_file *f)
{
	const char *path = arena_printf(rq->mem, "/web%smain.js", page);
	const char *row = arena_printf(rq->mem, "\n%s ", path);

	return strstr(f->table, row) != NULL ? path : NULL;
}

static void
put_link(struct buf *to, const char *path, const char *version, const char *kind)
{
	if (path != NULL)
		buf_printf(to, "%s<..%s%s>; rel=%s", to->len > 0 ? ", " : "", path,
		    version, kind);
}

static void
preload(struct request *rq, const char *page, const struct static_file *f,
    const char *reads)
{
	const char *version = arena_printf(rq->mem, "?v=%s", f->version);
	struct buf links = { .mem = rq->mem };

	if (page[1] != '\0' && page[strlen(page) - 1] == '/') {
		put_link(&links, script_of(rq, page, f), version, "modulepreload");
		put_link(&links, texts_of(rq, page, f), version, FETCH);
	}
	put_link(&links, reads, "", FETCH);
	if (links.len > 0)
		header(rq, "Link", "%s", buf_text(&links));
}

struct reply
static_page(struct request *rq, const char *path, const struct page_policy *p)
{
	struct static_file f;

	if (!find_file(rq, path, &f))
		return problem(rq, P_NOT_FOUND, "No such resource.");
	restrict_page(rq, p);
	preload(rq, path, &f, p->reads);
	rq->cache = "no-cache"; /* the file contains versioned file names */
	return send_file(rq, &f);
}

bool
static_page_exists(struct request *rq, const char *path)
{
	struct static_file f;

	return find_file(rq, path, &f);
}

/* Append HTML with the service's address before each relative address. */
static void
put_absolute(struct buf *to, const char *html, const char *base)
{
	static const char *const members[] = { " href=\"", " src=\"" };

	while (*html != '\0') {
		size_t n = 0;

		for (size_t i = 0; n == 0 && i < 2; i++)
			if (strncmp(html, members[i], strlen(members[i])) == 0)
				n = strlen(members[i]);
		buf_put(to, html, n > 0 ? n : 1);
		html += n > 0 ? n : 1;
		if (n > 0 && strncmp(html, "data:", 5) != 0)
			buf_printf(to, "%s/", base);
	}
}

struct reply
static_page_lost(struct request *rq, const char *path, const struct page_policy *p)
{
	struct static_file f;
	struct buf html = { .mem = rq->mem };

	if (!find_file(rq, path, &f) || !load(rq, f.name, &html))
		return problem(rq, P_NOT_FOUND, "No such resource.");
	restrict_page(rq, p);
	put_absolute(&rq->out, buf_text(&html), rq->conf->server_base_url);
	header(rq, "Vary", "Accept");
	header(rq, "Content-Type", "%s", f.type);
	return reply_empty(rq, 404);
}

struct reply
static_page_file(struct request *rq, const char *path)
{
	struct static_file f;
	const char *version;

	if (!find_file(rq, path, &f))
		return problem(rq, P_NOT_FOUND, "No such resource.");
	version = json_get_text(query_read(rq), "v");
	rq->cache =
	    version != NULL && strcmp(version, f.version) == 0 ? FOR_GOOD : "no-cache";
	return send_file(rq, &f);
}
