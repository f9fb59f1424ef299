/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * The database and its backup must contain no token, key, link or code that admits a
 * client. One account uses all features; then the files are searched for its secrets.
 */
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/conf.h"
#include "cases.h"
#include "owner.h"

#define LEAST 12 /* shortest secret in an answer, characters */

static struct {
	const char *text, *name;
} secrets[1000];
static int n_secrets;

static void
remember(const char *name, const char *secret, size_t n)
{
	if (n < LEAST || n_secrets == 1000)
		return;
	secrets[n_secrets].name = text("%s", name);
	secrets[n_secrets++].text = arena_dup(memory(), secret, n);
}

/* Remembers the parts of an address after ?, & and #; ids are not secret. */
static void
remember_link(const char *name, const char *url)
{
	const char *s = url + strcspn(url, "?#");

	while (*s != '\0') {
		size_t key = strcspn(++s, "=&#"), n = strcspn(s, "&#");

		if (s[key] == '=' && n > key && strncmp(s, "stage=", 6) != 0)
			remember(text("%s of %s", arena_dup(memory(), s, key), name),
			    s + key + 1, n - key - 1);
		s += n;
	}
}

static bool
is_secret(const char *name)
{
	static const char *const words[] = { "token", "secret", "api_key", "stream_key",
		"signature", "password", "x-amz-signature", "policy" };
	static const char *const kept[] = { "next_page_token", "page_token",
		"subscriber_tokens" };

	for (size_t i = 0; i < sizeof(kept) / sizeof(kept[0]); i++)
		if (strcmp(name, kept[i]) == 0)
			return false;
	for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
		if (strstr(name, words[i]) != NULL)
			return true;
	return strcmp(name, "key") == 0;
}

static void
collect(const char *name, const json_t *j)
{
	const char *key;
	json_t *one;
	size_t i;

	if (json_is_string(j) && is_secret(name))
		remember(name, json_string_value(j), json_string_length(j));
	if (json_is_string(j) && strstr(json_string_value(j), "://") != NULL)
		remember_link(name, json_string_value(j));
	json_object_foreach((json_t *)(uintptr_t)j, key, one) collect(key, one);
	json_array_foreach(j, i, one) collect(name, one);
}

static void
listen_to(const struct answer *a)
{
	const char *to = header_of(a, "Location");

	if (a->json != NULL)
		collect("", a->json);
	if (to != NULL)
		remember_link("Location", to);
}

/* ---- a life ---- */

static struct owner me;

static struct answer
post(const char *path, const char *data)
{
	struct answer a =
	    ASK(.path = path, .as = &me.as, .json = text("{\"data\":{%s}}", data));

	ck_assert_msg(a.status / 100 == 2, "%s: %s", path, shown(&a));
	return a;
}

/* A code that the account sets itself; each is in `said`, too. */
#define CODE "Kingfisher-7261"
#define KEY_OF_OUTPUT "output-key-58f0c2e1"
#define CAPTIONS_LINK "captions-cid-91d4a7"
#define INPUT_LINK "playlist-key-6b3e90"
#define HOOK_LINK "hook-path-40ce17d2"

static const char *const said[] = { CODE, KEY_OF_OUTPUT, CAPTIONS_LINK, INPUT_LINK,
	HOOK_LINK };

static void
run_event(void)
{
	struct answer a = post("/saas/v2/event",
	    "\"title\":\"Closed\",\"event_type\":\"online\",\"access_code\":\"" CODE
	    "\","
	    "\"transcript\":\"public\",\"utc_start_dt\":\"2036-12-01T08:00:00Z\","
	    "\"utc_end_dt\":\"2036-12-02T08:00:00Z\"");
	const char *event = text_at(a.json, "data.event_id"), *channel, *public;

	public = text("/saas/v2/event/public/%s", event);
	a = post("/saas/channel",
	    text("\"type\":\"event\",\"name\":\"Hall\",\"event_id\":\"%s\","
		 "\"target_languages\":[\"fr\"],\"outputs\":["
		 "{\"protocol\":\"rtmp_push\",\"server\":\"rtmp://192.0.2.1/live\","
		 "\"stream_key\":\"" KEY_OF_OUTPUT "\",\"lang_code\":\"fr\"},"
		 "{\"protocol\":\"captions_push\",\"lang_code\":\"fr\",\"url\":"
		 "\"http://192.0.2.1/closedcaption?cid=" CAPTIONS_LINK "\"},"
		 "{\"protocol\":\"hls_pull\",\"lang_codes\":[\"fr\"]}]",
		event));
	channel = text_at(a.json, "data.channel_id");
	post(text("/saas/channel/%s/speaker-token", channel), "");
	ASK(.path = text("/saas/channel/%s/speaker-token", channel), .as = &me.as);
	ASK(.path = text("/saas/channel/%s", channel), .as = &me.as);
	post(text("%s/join?code=" CODE, public), "\"language\":\"fr\"");
	a = ASK(.path = text("%s?code=" CODE, public));
	EXPECT(a, 200);
	a = ASK(.method = "PATCH", .path = text("/saas/v2/event/%s", event),
	    .as = &me.as,
	    .json = "{\"data\":{\"access_code\":\"" CODE "\",\"title\":\"Still\"}}");
	EXPECT(a, 200);
	ck_assert_str_eq(text_at(a.json, "data.access_code"), CODE);
	post("/saas/channel",
	    "\"type\":\"standalone\",\"name\":\"Pulled\",\"input_type\":\"hls_pull\","
	    "\"target_languages\":[\"fr\"],"
	    "\"input_url\":\"https://192.0.2.1/a.m3u8?key=" INPUT_LINK "\"");
}

static void
use_credentials(void)
{
	struct answer a = ASK(.path = "/auth/token", .as = &me.as,
	    .json = "{\"data\":{\"ttl_s\":3600}}");
	const char *link = DRAGOMAN("account", "link", "--account", me.as.user_id);
	json_t *told = json_loads(link, 0, NULL);

	ck_assert_msg(a.status / 100 == 2, "%s", shown(&a));
	ck_assert_ptr_nonnull(told);
	collect("", told);
	remember("api_key", me.as.api_key, strlen(me.as.api_key));
	remember("client_secret", me.as.client_secret, strlen(me.as.client_secret));
	a = ASK(.path = "/saas/key", .as = &me.as,
	    .headers = { "Idempotency-Key: a-key-of-the-client" },
	    .json = "{\"data\":{\"name\":\"Other\",\"scopes\":[\"*\"]}}");
	EXPECT(a, 201);
}

static void
use_webhook(void)
{
	struct answer a = post("/saas/webhook",
	    "\"url\":\"https://example.org/" HOOK_LINK "\",\"events\":[\"*\"]");
	const char *id = text_at(a.json, "data.webhook_id");

	ASK(.method = "POST", .as = &me.as,
	    .path = text("/saas/webhook/%s/rotate-secret", id));
	ASK(.path = text("/saas/webhook/%s", id), .as = &me.as);
}

static void
live(void)
{
	answers_tell(listen_to);
	me = owner_new("keeping secrets", false);
	use_webhook();
	use_credentials();
	run_event();
	post("/session-storage/session", "\"subscriber_count\":2");
	ASK(.path = text("/blobs/%s", me.thing[FILE_STORED]), .as = &me.as);
	answers_tell(NULL);
	for (size_t i = 0; i < sizeof(said) / sizeof(said[0]); i++)
		remember("said", said[i], strlen(said[i]));
}

/* ---- the files ---- */

static int
found_in(const char *path)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC), found = 0;
	const char *p;
	struct stat st;

	ck_assert_msg(fd >= 0 && fstat(fd, &st) == 0, "%s", path);
	if (st.st_size == 0)
		return 0;
	p = mmap(NULL, (size_t)st.st_size, PROT_READ, MAP_PRIVATE, fd, 0);
	ck_assert(p != MAP_FAILED);
	for (int i = 0; i < n_secrets; i++)
		if (memmem(p, (size_t)st.st_size, secrets[i].text,
			strlen(secrets[i].text)) != NULL) {
			fprintf(stderr, "%s has %s: %s\n", path, secrets[i].name,
			    secrets[i].text);
			found++;
		}
	close(fd);
	return found;
}

static bool
has_name(const char *name)
{
	for (int i = 0; i < n_secrets; i++)
		if (strstr(secrets[i].name, name) != NULL)
			return true;
	return false;
}

START_TEST(no_secret_of_a_whole_life_is_in_the_database_or_a_backup)
{
	static const char *const kinds[] = { "token", "secret", "api_key", "said",
		"stream_key", "signature" };
	const char *db = settings()->db_url, *to = text("%s/backup", instance()->dir);
	int found;

	live();
	for (size_t i = 0; i < sizeof(kinds) / sizeof(kinds[0]); i++)
		ck_assert_msg(has_name(kinds[i]), "no answer has a %s", kinds[i]);
	ck_assert_int_ge(n_secrets, 20);
	if (strncmp(db, "sqlite:", 7) != 0)
		return; /* stored elsewhere by a server */
	mkdir(to, 0700);
	DRAGOMAN("backup", to);
	db += 7;
	found = found_in(db) + found_in(text("%s-wal", db)) +
		found_in(text("%s/dragoman.db", to));
	ck_assert_int_eq(found, 0);
}
END_TEST

Suite *
secrets_suite(void)
{
	TCase *t;
	Suite *s = suite_of("secrets", NULL, &t);

	tcase_add_test(t, no_secret_of_a_whole_life_is_in_the_database_or_a_backup);
	return s;
}
