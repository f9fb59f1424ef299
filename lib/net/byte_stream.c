/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/byte_stream.h"

#include <poll.h>
#include <string.h>

#include "base/clock.h"
#include "net/libcurl.h"

struct byte_stream {
	CURL *easy;
	char why[CURL_ERROR_SIZE];
};

static bool
set_options(struct byte_stream *s, const char *url, int timeout_ms)
{
	const struct {
		CURLoption option;
		long value;
	} set[] = {
		{ CURLOPT_CONNECT_ONLY, 1 },
		{ CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2 },
		{ CURLOPT_SSL_ENABLE_ALPN, 0 },
		{ CURLOPT_NOSIGNAL, 1 },
		{ CURLOPT_QUICK_EXIT, 1 },
		{ CURLOPT_TIMEOUT_MS, timeout_ms },
	};

	for (size_t i = 0; i < sizeof(set) / sizeof(set[0]); i++)
		if (curl_easy_setopt(s->easy, set[i].option, set[i].value) != CURLE_OK)
			return false;
	return curl_easy_setopt(s->easy, CURLOPT_URL, url) == CURLE_OK &&
	       curl_easy_setopt(s->easy, CURLOPT_PROXY, "") == CURLE_OK &&
	       curl_easy_setopt(s->easy, CURLOPT_ERRORBUFFER, s->why) == CURLE_OK;
}

struct byte_stream *
byte_stream_open(struct arena *mem, const char *host, int port, bool tls,
    int timeout_ms, const char **why)
{
	struct byte_stream *s = arena_alloc(mem, sizeof(*s));
	bool six = strchr(host, ':') != NULL;
	/* the scheme chooses TLS; no byte of HTTP is sent */
	const char *url = arena_printf(mem, "%s://%s%s%s:%d", tls ? "https" : "http",
	    six ? "[" : "", host, six ? "]" : "", port);
	CURLcode rc = CURLE_FAILED_INIT;

	s->why[0] = '\0';
	s->easy = curl_easy_init();
	if (s->easy != NULL && set_options(s, url, timeout_ms))
		rc = curl_easy_perform(s->easy);
	if (rc == CURLE_OK)
		return s;
	*why = s->why[0] != '\0' ? s->why : curl_easy_strerror(rc);
	byte_stream_close(s);
	return NULL;
}

/* Wait until the socket can be used. False: the deadline has passed. */
static bool
wait_for(struct byte_stream *s, short events, int64_t until_us)
{
	struct pollfd p = { .events = events };
	int64_t left_us = until_us - monotonic_us();
	curl_socket_t fd;

	if (curl_easy_getinfo(s->easy, CURLINFO_ACTIVESOCKET, &fd) != CURLE_OK)
		return false;
	p.fd = fd;
	return left_us > 0 && poll(&p, 1, (int)(left_us / 1000) + 1) > 0;
}

bool
byte_stream_send(struct byte_stream *s, const void *bytes, size_t n, int64_t until_us)
{
	const char *p = bytes;
	CURLcode rc;
	size_t sent;

	for (; n > 0; p += sent, n -= sent) {
		sent = 0;
		rc = curl_easy_send(s->easy, p, n, &sent);
		if (rc == CURLE_AGAIN ? !wait_for(s, POLLOUT, until_us)
				      : rc != CURLE_OK)
			return false;
	}
	return true;
}

size_t
byte_stream_receive(struct byte_stream *s, void *to, size_t room, int64_t until_us)
{
	CURLcode rc;
	size_t n;

	do {
		n = 0;
		rc = curl_easy_recv(s->easy, to, room, &n);
	} while (rc == CURLE_AGAIN && wait_for(s, POLLIN, until_us));
	return rc == CURLE_OK ? n : 0;
}

void
byte_stream_close(struct byte_stream *s)
{
	if (s != NULL)
		curl_easy_cleanup(s->easy);
}
