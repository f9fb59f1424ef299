/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "service/channel_source.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

/* bytes of a random stream key; in hex, as SRT allows 10 to 79 characters */
#define KEY_BYTES 16

static bool
is_srt(const struct channel *c)
{
	return strcmp(c->input_type, "srt_push") == 0;
}

static bool
is_rtmp(const struct channel *c)
{
	return strcmp(c->input_type, "rtmp_push") == 0;
}

const char *
channel_source_lacks(const struct conf *conf, const struct channel *c)
{
	if (is_srt(c) && conf->ingest_srt_ports[0] == '\0')
		return "This service does not receive SRT: ingest.srt_ports is empty.";
	if (is_rtmp(c) && conf->ingest_rtmp_url[0] == '\0')
		return "This service does not receive RTMP: ingest.rtmp_url is empty.";
	return NULL;
}

/* ---- ports and keys ---- */

struct search {
	int64_t port; /* the lowest port not known to be taken */
};

static bool
pass_port(void *arg, int64_t taken)
{
	struct search *s = arg;

	s->port += taken == s->port;
	return taken <= s->port;
}

static enum err
find_port(struct db *db, int64_t first, int64_t last, struct channel *c)
{
	struct search s = { .port = first };
	enum err e = channel_srt_ports(db, pass_port, &s);

	if (e == OK && s.port > last)
		e = ERR_LIMIT;
	if (e == OK)
		c->srt_port = s.port;
	return e;
}

static enum err
assign_port(struct db *db, const struct conf *conf, struct channel *c)
{
	long long first, last;
	int64_t freed;
	enum err e;

	if (sscanf(conf->ingest_srt_ports, "%lld-%lld", &first, &last) != 2 ||
	    first < 1 || last > 65535)
		return ERR_LIMIT;
	/* before giving up, free the ports of finished events */
	if ((e = find_port(db, first, last, c)) == ERR_LIMIT &&
	    (e = channels_free_srt_ports(db, &freed)) == OK)
		e = find_port(db, first, last, c);
	return e;
}

enum err
channel_source_assign(
    struct db *db, struct arena *mem, const struct conf *conf, struct channel *c)
{
	unsigned char key[KEY_BYTES];
	enum err e;

	if (!is_srt(c) && !is_rtmp(c))
		return OK;
	if (is_srt(c) && c->srt_port == 0 && (e = assign_port(db, conf, c)) != OK)
		return e;
	if (c->stream_key != NULL)
		return OK;
	random_bytes(key, sizeof(key));
	c->stream_key = hex(mem, key, sizeof(key));
	return OK;
}

/* ---- members for senders ---- */

static const char *
srt_url(const struct conf *conf, struct arena *mem, const struct channel *c)
{
	const char *host = strstr(conf->stream_public_url, "://");
	size_t n;

	if (c->srt_port == 0)
		return NULL;
	host = host != NULL ? host + 3 : conf->stream_public_url;
	n = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/");
	if (conf->ingest_host[0] != '\0')
		n = strlen(host = conf->ingest_host);
	return arena_printf(
	    mem, "srt://%.*s:%lld", (int)n, host, (long long)c->srt_port);
}

static const char *
rtmp_url(const struct conf *conf)
{
	return conf->ingest_rtmp_public_url[0] != '\0' ? conf->ingest_rtmp_public_url
						       : conf->ingest_rtmp_url;
}

static bool
is_pulled(const struct channel *c)
{
	return strcmp(c->input_type, "hls_pull") == 0;
}

bool
channel_source_write(const struct conf *conf, struct arena *mem,
    const struct channel *c, bool secrets, struct json_writer *j)
{
	if (is_pulled(c))
		jw_text(j, "url", c->input_url);
	if (!is_srt(c) && !is_rtmp(c))
		return is_pulled(c);
	jw_text(j, "server", is_srt(c) ? srt_url(conf, mem, c) : rtmp_url(conf));
	jw_text(j, "stream_key", secrets ? c->stream_key : NULL);
	if (is_srt(c))
		jw_text(j, "stream_id", c->id);
	return true;
}
