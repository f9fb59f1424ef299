#include "web/inline_page.h"

#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/hash.h"
#include "web/share.h"

#define PAGE_BYTES (256 << 10) /* no page of ours is larger */

/* Scheme, host and port of an address, with another scheme if one is given. */
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

/* A gateway at an address with http or https, and its sockets. */
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

/*
 * The link to a page says where the page sends a token and the sound of a microphone;
 * the policy makes the browser refuse every address but this service and its Janus.
 */
static void
restrict_page(struct request *rq, const struct list *streams)
{
	const struct conf *c = rq->conf;

	header(rq, "Content-Security-Policy",
	    "default-src 'none'; script-src 'unsafe-inline' blob:; "
	    "style-src 'unsafe-inline'; img-src data:; connect-src 'self'%s%s%s; "
	    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
	    gateway_origins(rq->mem, c->stream_public_url),
	    all_origins(rq->mem, streams),
	    origin_of(rq->mem, c->janus_public_url, NULL));
	header(rq, "Referrer-Policy", "no-referrer");
}

static bool
read_all(int fd, char *to, size_t n)
{
	ssize_t did = 0;

	for (; n > 0 && (did = read(fd, to, n)) > 0; to += did)
		n -= (size_t)did;
	return n == 0;
}

static bool
load(struct request *rq, const char *name)
{
	const char *path = arena_printf(rq->mem, "%s/%s", rq->conf->share_dir, name);
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	struct stat st;
	size_t n;
	bool good;

	if (fd < 0)
		return false;
	good = fstat(fd, &st) == 0 && st.st_size > 0 && st.st_size < PAGE_BYTES;
	n = good ? (size_t)st.st_size : 0;
	good = good && read_all(fd, buf_room(&rq->out, n), n);
	close(fd);
	rq->out.len += good ? n : 0;
	return good;
}

struct reply
inline_page(struct request *rq, const char *file, const struct list *streams)
{
	const char *tag, *variant = share_variant(rq, file);

	if (!load(rq, variant))
		return problem(rq, P_NOT_FOUND, "No such resource.");
	restrict_page(rq, streams);
	tag = arena_printf(
	    rq->mem, "\"%.32s\"", hash_hex(rq->mem, rq->out.p, rq->out.len));
	header(rq, "ETag", "%s", tag);
	header(rq, "Vary", "Accept-Encoding");
	rq->cache = "public, max-age=300";
	if (etag_known(rq, tag)) {
		rq->out.len = 0;
		return reply_empty(rq, 304);
	}
	header(rq, "Content-Type", "text/html; charset=utf-8");
	if (variant != file)
		header(rq, "Content-Encoding", "gzip");
	return reply_empty(rq, 200);
}
