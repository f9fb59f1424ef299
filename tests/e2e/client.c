/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "client.h"

#include <curl/curl.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <time.h>
#include <unistd.h>

#include "base/buf.h"

struct arena *
memory(void)
{
	static struct arena *mem;

	if (mem == NULL)
		mem = arena_new();
	return mem;
}

static const char *
told(const json_t *j, const char *name)
{
	const char *s = json_string_value(json_object_get(j, name));

	if (s != NULL)
		return s;
	fprintf(stderr, "E2E_INSTANCE lacks %s\n", name);
	exit(EXIT_FAILURE);
}

const struct instance *
instance(void)
{
	static struct instance it;
	const char *s = getenv("E2E_INSTANCE");
	json_t *j;

	if (it.base_url == NULL) {
		j = s != NULL ? json_loads(s, 0, NULL) : NULL;
		it.base_url = told(j, "base_url");
		it.dir = told(j, "dir");
		it.me = (struct account){ told(j, "user_id"), told(j, "api_key"),
			told(j, "client_id"), told(j, "client_secret") };
	}
	return &it;
}

double
seconds(void)
{
	struct timespec t;

	clock_gettime(CLOCK_MONOTONIC, &t);
	return (double)t.tv_sec + (double)t.tv_nsec / 1e9;
}

void
nap(double s)
{
	usleep((useconds_t)(s * 1e6));
}

/* ---- calls ---- */

/* Connections are not shared with the process that forked this one. */
static CURL *
handle(void)
{
	static CURL *curl;
	static pid_t owner;

	if (owner != getpid()) {
		curl = curl_easy_init();
		owner = getpid();
	} else
		curl_easy_reset(curl);
	return curl;
}

static size_t
collect(char *p, size_t size, size_t n, void *to)
{
	buf_put(to, p, size * n);
	return size * n;
}

static struct curl_slist *
header_lines(const struct ask *q)
{
	struct curl_slist *l = curl_slist_append(NULL, "Expect:");

	if (q->as != NULL)
		l = curl_slist_append(
		    l, text("Authorization: Bearer %s", q->as->api_key));
	for (size_t i = 0; i < 8 && q->headers[i] != NULL; i++)
		l = curl_slist_append(l, q->headers[i]);
	if (q->json != NULL)
		l = curl_slist_append(l, "Content-Type: application/json");
	else if (q->type != NULL)
		l = curl_slist_append(l, text("Content-Type: %s", q->type));
	else
		l = curl_slist_append(l, "Content-Type:");
	return l;
}

static void
describe(CURL *c, const struct ask *q)
{
	bool has_body = q->json != NULL || q->body.p != NULL;
	const char *method = q->method != NULL ? q->method : has_body ? "POST" : "GET";

	curl_easy_setopt(c, CURLOPT_URL,
	    q->path[0] == '/' ? text("%s%s", instance()->base_url, q->path) : q->path);
	if (has_body) {
		curl_easy_setopt(c, CURLOPT_POSTFIELDSIZE_LARGE,
		    (curl_off_t)(q->json != NULL ? strlen(q->json) : q->body.n));
		curl_easy_setopt(
		    c, CURLOPT_POSTFIELDS, q->json != NULL ? q->json : q->body.p);
	} else if (strcmp(method, "POST") == 0)
		curl_easy_setopt(c, CURLOPT_POSTFIELDS, "");
	if (strcmp(method, "HEAD") == 0)
		curl_easy_setopt(c, CURLOPT_NOBODY, 1L);
	else
		curl_easy_setopt(c, CURLOPT_CUSTOMREQUEST, method);
	if (q->from != NULL) { /* so that no other case can use it */
		curl_easy_setopt(c, CURLOPT_INTERFACE, q->from);
		curl_easy_setopt(c, CURLOPT_FORBID_REUSE, 1L);
	}
	curl_easy_setopt(c, CURLOPT_PATH_AS_IS, 1L);
	curl_easy_setopt(c, CURLOPT_HTTP_VERSION, (long)CURL_HTTP_VERSION_1_1);
	curl_easy_setopt(c, CURLOPT_TIMEOUT, 60L);
	curl_easy_setopt(c, CURLOPT_NOPROXY, "*");
}

static struct answer
answer_of(int status, struct buf *head, struct buf *body)
{
	struct answer a = { .status = status, .head = buf_text(head), .n = body->len };

	a.body = buf_text(body);
	a.json = json_loadb(a.body, a.n, JSON_REJECT_DUPLICATES, NULL);
	return a;
}

static void (*listener)(const struct answer *);

void
answers_tell(void (*to)(const struct answer *))
{
	listener = to;
}

struct answer
ask(const struct ask *q)
{
	struct buf head = { .mem = memory() }, body = { .mem = memory() };
	char fault[CURL_ERROR_SIZE] = "";
	CURL *c = handle();
	struct curl_slist *lines = header_lines(q);
	struct answer a;
	long status = 0;
	CURLcode e;

	describe(c, q);
	curl_easy_setopt(c, CURLOPT_HTTPHEADER, lines);
	curl_easy_setopt(c, CURLOPT_HEADERFUNCTION, collect);
	curl_easy_setopt(c, CURLOPT_HEADERDATA, &head);
	curl_easy_setopt(c, CURLOPT_WRITEFUNCTION, collect);
	curl_easy_setopt(c, CURLOPT_WRITEDATA, &body);
	curl_easy_setopt(c, CURLOPT_ERRORBUFFER, fault);
	e = curl_easy_perform(c);
	ck_assert_msg(e == CURLE_OK || (q->may_break && e == CURLE_PARTIAL_FILE),
	    "%s: %s", q->path, fault);
	curl_easy_getinfo(c, CURLINFO_RESPONSE_CODE, &status);
	if (e != CURLE_OK)
		status = CUT_OFF;
	curl_slist_free_all(lines);
	a = answer_of((int)status, &head, &body);
	if (listener != NULL)
		listener(&a);
	return a;
}

const char *
header_of(const struct answer *a, const char *name)
{
	size_t n = strlen(name);

	for (const char *s = a->head; s != NULL && *s != '\0'; s = strchr(s, '\n')) {
		s += *s == '\n';
		if (strncasecmp(s, name, n) == 0 && s[n] == ':') {
			s += n + 1;
			s += strspn(s, " ");
			return arena_dup(memory(), s, strcspn(s, "\r\n"));
		}
	}
	return NULL;
}

static CURL *
connect_raw(struct bytes b)
{
	CURL *c = curl_easy_init();
	size_t sent;

	curl_easy_setopt(c, CURLOPT_URL, instance()->base_url);
	curl_easy_setopt(c, CURLOPT_CONNECT_ONLY, 1L);
	curl_easy_setopt(c, CURLOPT_NOPROXY, "*");
	ck_assert_int_eq(curl_easy_perform(c), CURLE_OK);
	while (b.n > 0) {
		CURLcode e = curl_easy_send(c, b.p, b.n, &sent);

		if (e == CURLE_AGAIN) {
			nap(0.005);
			continue;
		}
		if (e != CURLE_OK)
			break; /* the server stopped reading; read its answer */
		b.p += sent;
		b.n -= sent;
	}
	return c;
}

struct answer
raw(struct bytes b)
{
	struct buf all = { .mem = memory() }, body = { .mem = memory() };
	CURL *c = connect_raw(b);
	double end = seconds() + 20;
	const char *gap;
	char piece[4096];
	size_t n;
	CURLcode e;

	while ((e = curl_easy_recv(c, piece, sizeof(piece), &n)) == CURLE_AGAIN ||
	       (e == CURLE_OK && n > 0)) {
		ck_assert_msg(
		    seconds() < end, "no end of the answer: %s", buf_text(&all));
		if (e == CURLE_AGAIN)
			nap(0.005);
		else
			buf_put(&all, piece, n);
	}
	curl_easy_cleanup(c);
	if ((gap = strstr(buf_text(&all), "\r\n\r\n")) != NULL)
		buf_put(&body, gap + 4, all.len - (size_t)(gap + 4 - all.p));
	return answer_of(all.len > 12 ? atoi(all.p + 9) : 0, &all, &body);
}

void
raw_and_cut(struct bytes b)
{
	curl_easy_cleanup(connect_raw(b));
}

const char *
host_line(void)
{
	const char *host = strstr(instance()->base_url, "://") + 3;

	return text("Host: %.*s", (int)strcspn(host, "/"), host);
}
