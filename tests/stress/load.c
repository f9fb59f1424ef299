/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * usage: load BASE KEY EVENT UPLOAD CLIENTS SECONDS RATE ACKNOWLEDGED
 *
 * CLIENTS threads, each with a connection of its own, read records and pages, create
 * events, upload the file UPLOAD and join EVENT. They send the next request as soon as
 * they are answered; with RATE they send this many requests a second together.  Every
 * answer must be good, or 429 or 503 with Retry-After and a problem document. The ids
 * of acknowledged events and files are written to ACKNOWLEDGED.
 *
 * The output has lines separated by tabs: kind, number, good, 429, 503, wrong, and
 * milliseconds: median, 99th percentile, maximum. The last line is the total.  SIGTERM
 * ends the load early.
 */
#include <curl/curl.h>
#include <jansson.h>
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

#include "base/clock.h"
#include "bench/order.h"

#define CLIENTS_MAX 512
#define TIMES_MAX 400000 /* samples of all clients */
#define ANSWER_MAX 65536
#define EVENT_BODY                                                                     \
	"{\"data\":{\"title\":\"Load\",\"event_type\":\"online\",\"utc_start_dt\":"    \
	"\"2099-01-01T10:00:00Z\",\"utc_end_dt\":\"2099-01-01T18:00:00Z\"}}"
#define UPLOAD_BODY "{\"data\":[{\"filename\":\"a.wav\",\"mime_type\":\"audio/wav\"}]}"
#define JOIN_BODY "{\"data\":{\"language\":\"original\"}}"

enum kind { READ, PAGE, CREATE, FORM, ARRIVE, JOIN, KINDS };
static const char *const kind_names[] = { "read", "page", "create", "form", "arrive",
	"join" };
/* Frequency of each kind in percent; a file is sent when a form is available. */
static const int shares[] = { 50, 20, 10, 8, 0, 12 };

static struct {
	const char *base, *event, *upload;
	char auth[512];
	double interval_s; /* seconds between requests of each client; 0: none */
	_Atomic int64_t end_us;
	FILE *acknowledged;
	pthread_mutex_t lock; /* guards the members below, and the file */
	struct {
		long all, good, limited, busy, wrong;
		uint32_t *us;
	} told[KINDS];
	int shown;
} load = { .lock = PTHREAD_MUTEX_INITIALIZER };

struct client {
	CURL *curl;
	struct curl_slist *json, *form;
	unsigned dice;
	char body[ANSWER_MAX];
	size_t n;
	bool retry_after;
	char blob[64];
};

/* ---- one answer ---- */

static size_t
take_body(char *p, size_t size, size_t n, void *arg)
{
	struct client *c = arg;
	size_t room = sizeof(c->body) - 1 - c->n, some = n < room ? n : room;

	(void)size;
	memcpy(c->body + c->n, p, some);
	c->n += some;
	c->body[c->n] = '\0';
	return n;
}

static size_t
take_header(char *p, size_t size, size_t n, void *arg)
{
	struct client *c = arg;

	(void)size;
	if (n > 12 && strncasecmp(p, "Retry-After:", 12) == 0 && atoi(p + 12) > 0)
		c->retry_after = true;
	return n;
}

static bool
is_problem(const struct client *c, long status)
{
	json_t *j = json_loads(c->body, 0, NULL), *first;
	bool is;

	if (strstr(c->body, "<Error><Code>SlowDown") != NULL)
		return true;
	first = json_array_get(json_object_get(j, "errors"), 0);
	is = json_integer_value(json_object_get(first, "status")) == status &&
	     json_string_value(json_object_get(first, "type")) != NULL;
	json_decref(j);
	return is;
}

static void
count(const struct client *c, enum kind k, long status, int64_t us)
{
	bool refused =
	    (status == 429 || status == 503) && c->retry_after && is_problem(c, status);

	pthread_mutex_lock(&load.lock);
	if (load.told[k].all < TIMES_MAX)
		load.told[k].us[load.told[k].all] = (uint32_t)us;
	load.told[k].all++;
	load.told[k].good += status / 100 == 2;
	load.told[k].limited += refused && status == 429;
	load.told[k].busy += refused && status == 503;
	if (status / 100 != 2 && !refused) {
		load.told[k].wrong++;
		if (load.shown++ < 5)
			fprintf(stderr, "wrong: %s %ld: %.200s\n", kind_names[k],
			    status, c->body);
	}
	pthread_mutex_unlock(&load.lock);
}

static long
perform(struct client *c, enum kind k)
{
	int64_t start = monotonic_us();
	long status = 0;

	c->n = 0;
	c->body[0] = '\0';
	c->retry_after = false;
	if (curl_easy_perform(c->curl) == CURLE_OK)
		curl_easy_getinfo(c->curl, CURLINFO_RESPONSE_CODE, &status);
	count(c, k, status, monotonic_us() - start);
	return status;
}

/* ---- what is asked ---- */

static void
prepare(struct client *c, const char *path, const char *body)
{
	char url[2048];

	snprintf(url, sizeof(url), "%s%s", strstr(path, "://") ? "" : load.base, path);
	curl_easy_reset(c->curl);
	curl_easy_setopt(c->curl, CURLOPT_URL, url);
	curl_easy_setopt(c->curl, CURLOPT_NOSIGNAL, 1L);
	curl_easy_setopt(c->curl, CURLOPT_TIMEOUT, 60L);
	curl_easy_setopt(c->curl, CURLOPT_WRITEFUNCTION, take_body);
	curl_easy_setopt(c->curl, CURLOPT_WRITEDATA, c);
	curl_easy_setopt(c->curl, CURLOPT_HEADERFUNCTION, take_header);
	curl_easy_setopt(c->curl, CURLOPT_HEADERDATA, c);
	curl_easy_setopt(c->curl, CURLOPT_HTTPHEADER, c->json);
	if (body != NULL)
		curl_easy_setopt(c->curl, CURLOPT_COPYPOSTFIELDS, body);
}

static void
acknowledge(const char *kind, const char *id)
{
	pthread_mutex_lock(&load.lock);
	fprintf(load.acknowledged, "%s %s\n", kind, id != NULL ? id : "?");
	pthread_mutex_unlock(&load.lock);
}

static void
create(struct client *c)
{
	json_t *j;

	prepare(c, "/saas/v2/event", EVENT_BODY);
	if (perform(c, CREATE) != 201)
		return;
	j = json_loads(c->body, 0, NULL);
	acknowledge("event",
	    json_string_value(json_object_get(json_object_get(j, "data"), "event_id")));
	json_decref(j);
}

static void
arrive(struct client *c, json_t *target)
{
	curl_mime *form = curl_mime_init(c->curl);
	curl_mimepart *part;
	const char *name;
	json_t *value;

	prepare(c, json_string_value(json_object_get(target, "url")), NULL);
	curl_easy_setopt(c->curl, CURLOPT_HTTPHEADER, c->form);
	json_object_foreach(json_object_get(target, "form_data"), name, value)
	{
		part = curl_mime_addpart(form);
		curl_mime_name(part, name);
		curl_mime_data(part, json_string_value(value), CURL_ZERO_TERMINATED);
	}
	part = curl_mime_addpart(form);
	curl_mime_name(part, "file");
	curl_mime_filedata(part, load.upload);
	curl_easy_setopt(c->curl, CURLOPT_MIMEPOST, form);
	if (perform(c, ARRIVE) == 201)
		acknowledge(
		    "file", json_string_value(json_object_get(target, "blob_id")));
	curl_easy_reset(c->curl);
	curl_mime_free(form);
}

static void
upload(struct client *c)
{
	json_t *j, *target;

	prepare(c, "/saas/upload", UPLOAD_BODY);
	if (perform(c, FORM) != 200)
		return;
	j = json_loads(c->body, 0, NULL);
	target = json_array_get(json_object_get(j, "data"), 0);
	if (target != NULL)
		arrive(c, target);
	json_decref(j);
}

static void
join(struct client *c)
{
	char path[256];

	snprintf(path, sizeof(path), "/saas/v2/event/public/%s/join", load.event);
	prepare(c, path, JOIN_BODY);
	if (perform(c, JOIN) == 201)
		acknowledge("join", "-");
}

static void
read_one(struct client *c)
{
	char path[256];

	snprintf(path, sizeof(path), "/saas/v2/event/%s", load.event);
	prepare(c, path, NULL);
	perform(c, READ);
}

static void
ask(struct client *c)
{
	int dice = (int)(rand_r(&c->dice) % 100), k = 0;

	while (k < KINDS - 1 && dice >= shares[k])
		dice -= shares[k++];
	switch ((enum kind)k) {
	case PAGE:
		prepare(c, "/saas/v2/events", NULL);
		perform(c, PAGE);
		break;
	case CREATE:
		create(c);
		break;
	case FORM:
		upload(c);
		break;
	case JOIN:
		join(c);
		break;
	default:
		read_one(c);
		break;
	}
}

static void *
run(void *arg)
{
	struct client *c = arg;
	double pause_us = load.interval_s * 1e6;
	int64_t due =
	    monotonic_us() + (int64_t)(pause_us * (rand_r(&c->dice) % 100) / 100);

	c->curl = curl_easy_init();
	c->json = curl_slist_append(NULL, "Content-Type: application/json");
	c->json = curl_slist_append(c->json, load.auth);
	c->form = curl_slist_append(NULL, "Expect:");
	while (monotonic_us() < load.end_us) {
		if (due > monotonic_us())
			usleep((useconds_t)(due - monotonic_us()));
		due += (int64_t)pause_us;
		ask(c);
	}
	curl_slist_free_all(c->json);
	curl_slist_free_all(c->form);
	curl_easy_cleanup(c->curl);
	return NULL;
}

/* ---- output ---- */

static void
tell(void)
{
	static uint32_t all[KINDS * TIMES_MAX];
	long sum[5] = { 0 };
	size_t total = 0;

	for (int k = 0; k <= KINDS; k++) {
		bool last = k == KINDS;
		uint32_t *us = last ? all : load.told[k].us;
		size_t n = last                           ? total
			   : load.told[k].all < TIMES_MAX ? (size_t)load.told[k].all
							  : TIMES_MAX;
		long is[5] = { 0 };

		if (!last)
			memcpy(is, &load.told[k].all, sizeof(is));
		for (int i = 0; i < 5 && !last; i++)
			sum[i] += is[i];
		if (!last)
			memcpy(all + total, us, n * sizeof(*us));
		total += last ? 0 : n;
		if (n == 0)
			continue;
		qsort(us, n, sizeof(*us), by_time);
		printf("%s\t%ld\t%ld\t%ld\t%ld\t%ld\t%.1f\t%.1f\t%.1f\n",
		    last ? "all" : kind_names[k], (last ? sum : is)[0],
		    (last ? sum : is)[1], (last ? sum : is)[2], (last ? sum : is)[3],
		    (last ? sum : is)[4], us[n / 2] / 1e3, us[n * 99 / 100] / 1e3,
		    us[n - 1] / 1e3);
	}
}

static void
stop(int number)
{
	(void)number;
	load.end_us = 0;
}

int
main(int argc, char **argv)
{
	static struct client clients[CLIENTS_MAX];
	static pthread_t threads[CLIENTS_MAX];
	int n;

	if (argc != 9 || (n = atoi(argv[5])) < 1 || n > CLIENTS_MAX)
		return 2;
	load.base = argv[1];
	snprintf(load.auth, sizeof(load.auth), "Authorization: Bearer %s", argv[2]);
	load.event = argv[3];
	load.upload = argv[4];
	load.interval_s = atof(argv[7]) > 0 ? n / atof(argv[7]) : 0;
	if ((load.acknowledged = fopen(argv[8], "a")) == NULL)
		return 1;
	for (int k = 0; k < KINDS; k++)
		load.told[k].us = calloc(TIMES_MAX, sizeof(uint32_t));
	curl_global_init(CURL_GLOBAL_ALL);
	load.end_us = monotonic_us() + (int64_t)(atof(argv[6]) * 1e6);
	signal(SIGTERM, stop);
	for (int i = 0; i < n; i++) {
		clients[i].dice = (unsigned)i + 1;
		pthread_create(&threads[i], NULL, run, &clients[i]);
	}
	for (int i = 0; i < n; i++)
		pthread_join(threads[i], NULL);
	fclose(load.acknowledged);
	tell();
	return 0;
}
