#include "service/srt_port.h"

#include <stdio.h>
#include <string.h>

#include "base/hash.h"

#define KEY_BYTES                                                                      \
	16 /* random, of a stream key; in hex: SRT takes 10 to 79 characters */

struct search {
	int64_t port; /* the least that is not known to be taken */
};

static bool
pass_port(void *arg, int64_t taken)
{
	struct search *s = arg;

	s->port += taken == s->port;
	return taken <= s->port;
}

enum err
srt_port_give(
    struct db *db, struct arena *mem, const struct conf *conf, struct channel *c)
{
	long long first, last;
	unsigned char key[KEY_BYTES];
	struct search s;
	enum err e;

	if (strcmp(c->input_type, "srt_push") != 0 || c->srt_port > 0)
		return OK;
	if (sscanf(conf->ingest_srt_ports, "%lld-%lld", &first, &last) != 2 ||
	    first < 1 || last > 65535)
		return ERR_LIMIT;
	s.port = first;
	if ((e = channel_srt_ports(db, pass_port, &s)) != OK)
		return e;
	if (s.port > last)
		return ERR_LIMIT;
	random_bytes(key, sizeof(key));
	c->srt_port = s.port;
	c->stream_key = hex(mem, key, sizeof(key));
	return OK;
}

const char *
srt_port_url(const struct conf *conf, struct arena *mem, const struct channel *c)
{
	const char *host = strstr(conf->stream_public_url, "://");
	size_t n;

	host = host != NULL ? host + 3 : conf->stream_public_url;
	n = *host == '[' ? strcspn(host, "]") + 1 : strcspn(host, ":/");
	if (conf->ingest_host[0] != '\0')
		n = strlen(host = conf->ingest_host);
	return arena_printf(
	    mem, "srt://%.*s:%lld", (int)n, host, (long long)c->srt_port);
}
