/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Answers must match the contract's examples (section 15) in members, order and types,
 * and problems also in their texts.
 */
#include <string.h>

#include "base/base64.h"
#include "base/version.h"
#include "cases.h"
#include "db/db.h"

static struct account me;
static const char *voice; /* short and with an accent, as in the example */

#define EXAMPLE "https://speech.example.org"
#define FORM                                                                           \
	"\"form_data\":{\"key\":\"\",\"Content-Type\":\"\",\"success_action_status\":" \
	"\"201\",\"bucket\":\"\",\"X-Amz-Algorithm\":\"\",\"X-Amz-Credential\":\"\","  \
	"\"X-Amz-Date\":\"\",\"Policy\":\"\",\"X-Amz-Signature\":\"\"}"
#define TARGET "{\"url\":\"\",\"item_id\":\"\",\"blob_id\":\"\"," FORM "}"
#define SAMPLE                                                                         \
	"{\"voice_id\":\"\",\"user_id\":\"\",\"provider\":\"\",\"blob_id\":\"\","      \
	"\"url\":\"\",\"audio_metadata\":{\"format\":\"\",\"codec\":\"\","             \
	"\"duration\":6.24,\"mime_type\":\"\"},\"text\":{\"content\":\"\",\"lang\":"   \
	"\"\"},\"model\":\"\",\"filename\":\"\",\"mime_type\":\"\",\"display_name\":"  \
	"\"\",\"utc_created_at\":\"\"}"
#define VOICE_HEAD                                                                     \
	"\"voice_id\":\"\",\"user_id\":\"\",\"utc_created_at\":\"\","                  \
	"\"utc_updated_at\":\"\",\"name\":\"\",\"description\":\"\",\"voice_type\":"   \
	"\"\",\"processing_status\":\"\",\"processing_result\":"
#define VOICE_TAIL                                                                     \
	",\"labels\":{\"gender\":\"\",\"age_group\":null,\"mood\":\"\"},"              \
	"\"lang_code\":\"\",\"has_external_voice\":false,\"attributes\":[\"keynote\"]"
#define PROBLEM(slug, status, title, code)                                             \
	"{\"type\":\"" EXAMPLE "/problems/" slug "\",\"status\":" #status              \
	",\"title\":\"" title                                                          \
	"\",\"detail\":\"\",\"instance\":\"\",\"error_code\":" #code
#define PROBLEMS(list) "{\"ok\":false,\"errors\":[" list "]}"

static struct answer
post(const char *path, const char *json)
{
	return ASK(.path = path, .as = &me, .json = json);
}

static struct answer
clone(void)
{
	return post("/saas/voice/clone",
	    "{\"data\":{\"name\":\"Anna (stage)\",\"description\":\"Keynote voice\","
	    "\"labels\":{\"gender\":\"female\",\"mood\":\"calm\"},\"attributes\":"
	    "[\"keynote\"],\"samples\":[{\"filename\":\"anna.wav\",\"mime_type\":"
	    "\"audio/wav\",\"lang_code\":\"en-us\",\"denoise\":false,"
	    "\"speech_normalization\":true}]}}");
}

static void
before(void)
{
	struct answer a;
	struct form f;

	me = account_new("shapes");
	a = clone();
	voice = text_at(a.json, "data.voice_id");
	f = form_of(at(a.json, "data.samples.0"), recording("speech-12s.wav"));
	a = form_send(&f);
	EXPECT(a, 201);
	voice_await(&me, voice, "ready");
	a = ASK(.method = "POST", .as = &me,
	    .path = text("/saas/voice/m/%s/favorite", voice));
	EXPECT(a, 200);
}

/* ---- comparing ---- */

static bool
says_what_it_is(const char *key)
{
	static const char *const members[] = { "type", "status", "title", "error_code",
		"pointer", "parameter", "success_action_status" };

	for (int i = 0; i < ROWS(members); i++)
		if (strcmp(key, members[i]) == 0)
			return true;
	return false;
}

static const char *
here(const char *s) /* the example has another address */
{
	if (strncmp(s, EXAMPLE, strlen(EXAMPLE)) != 0)
		return s;
	return text("%s%s", instance()->base_url, s + strlen(EXAMPLE));
}

static void compare(const char *path, const json_t *want, const json_t *got);

static void
compare_scalars(const char *path, const json_t *want, const json_t *got)
{
	const char *key = strrchr(path, '.') != NULL ? strrchr(path, '.') + 1 : path;

	if (json_is_null(want)) {
		ck_assert_msg(json_is_null(got) || json_is_string(got), "%s", path);
		return;
	}
	if (json_is_boolean(want)) {
		ck_assert_msg(json_is_boolean(got), "%s is no boolean", path);
		return;
	}
	ck_assert_msg(json_typeof(want) == json_typeof(got), "%s is %s", path,
	    json_dumps(got, JSON_ENCODE_ANY));
	if (!says_what_it_is(key))
		return;
	if (json_is_string(want))
		ck_assert_str_eq(json_string_value(got), here(json_string_value(want)));
	else
		ck_assert_int_eq(json_integer_value(got), json_integer_value(want));
}

static void
compare_objects(const char *path, json_t *want, json_t *got)
{
	void *w = json_object_iter(want), *g = json_object_iter(got);

	for (; w != NULL && g != NULL;
	     w = json_object_iter_next(want, w), g = json_object_iter_next(got, g)) {
		ck_assert_msg(
		    strcmp(json_object_iter_key(w), json_object_iter_key(g)) == 0,
		    "%s has %s where %s should stand", path, json_object_iter_key(g),
		    json_object_iter_key(w));
		compare(text("%s.%s", path, json_object_iter_key(w)),
		    json_object_iter_value(w), json_object_iter_value(g));
	}
	ck_assert_msg(w == NULL && g == NULL, "%s has %s %s", path,
	    w != NULL ? "no" : "also", json_object_iter_key(w != NULL ? w : g));
}

static void
compare(const char *path, const json_t *want, const json_t *got)
{
	size_t n = json_array_size(want);

	if (json_is_object(want) && json_is_object(got)) {
		compare_objects(
		    path, (json_t *)(uintptr_t)want, (json_t *)(uintptr_t)got);
	} else if (json_is_array(want) && json_is_array(got)) {
		ck_assert_msg(n == 0 || json_array_size(got) > 0, "%s is empty", path);
		for (size_t i = 0; n > 0 && i < json_array_size(got); i++)
			compare(text("%s.%zu", path, i),
			    json_array_get(want, i < n ? i : n - 1),
			    json_array_get(got, i));
	} else
		compare_scalars(path, want, got);
}

static void
expect_shape(const char *name, const char *example, const json_t *got)
{
	json_t *want = json_loads(example, JSON_REJECT_DUPLICATES, NULL);

	ck_assert_msg(want != NULL, "%s: the example is no JSON", name);
	ck_assert_msg(got != NULL, "%s: the answer is no JSON", name);
	compare(name, want, got);
}

/* ---- how each one comes about ---- */

static struct answer
upload_target(void)
{
	return post("/saas/upload", "{\"data\":[{\"filename\":\"talk.wav\","
				    "\"mime_type\":\"audio/wav\",\"item_id\":"
				    "\"item-7\"}]}");
}

static struct answer
voice_page(void)
{
	return ASK(.path = "/saas/voice?is_favorite=true", .as = &me);
}

static struct answer
limits(void)
{
	return ASK(.path = "/saas/voice/limits", .as = &me);
}

static struct answer
tts_sample(void)
{
	return post(text("/saas/voice/m/%s/tts-sample", voice),
	    "{\"data\":{\"lang_code\":\"en-us\"}}");
}

static struct answer
health(void)
{
	return ASK(.path = "/health");
}

static struct answer
bad_json(void)
{
	return post("/saas/voice/clone", "{\"data\":");
}

static struct answer
bad_token(void)
{
	return ASK(.path = "/saas/voice?token=AAAA&sort=asc", .as = &me);
}

static struct answer
bad_key(void)
{
	return ASK(.path = "/saas/voice",
	    .headers = { "Authorization: Bearer dgm_nothing" });
}

static struct answer
no_scope(void)
{
	struct account a = account_limited(&me, "voices:read");

	return CLONE(.as = &a);
}

static struct answer
locked(void)
{
	static const struct sql hold = { "e2e.hold",
		"UPDATE voices SET lock_us = (SELECT max(last_run_us) FROM workers)"
		" + 90000000 WHERE id = $1",
		NULL };
	static const struct sql let_go = { "e2e.let_go",
		"UPDATE voices SET lock_us = 0 WHERE id = $1", NULL };
	struct answer a;

	change_db(&hold, voice);
	a = tts_sample();
	change_db(&let_go, voice);
	return a;
}

static struct answer
unknown(void)
{
	return voice_read(&me, "baa2919c-0ded-47bb-bec0-c9226ed91f2e");
}

static struct answer
unknown_flat(void)
{
	return ASK(.path = "/nowhere",
	    .headers = { "Accept: application/problem+json" });
}

static struct answer
method(void)
{
	return ASK(.method = "POST", .path = "/health");
}

static struct answer
stale(void)
{
	return ASK(.path = text("/saas/voice/m/%s", voice), .as = &me,
	    .headers = { "If-Match: \"v999\"" }, .json = "{\"data\":{}}");
}

static struct answer
too_large(void)
{
	return ASK(.path = "/saas/upload", .as = &me, .type = "application/json",
	    .body = same_bytes_of('x', 1048577));
}

static struct answer
not_json(void)
{
	return ASK(.path = "/saas/upload", .as = &me, .type = "text/csv",
	    .body = { "a,b", 3 });
}

static struct answer
range(void)
{
	return ASK(.path = text_at(voice_page().json, "data.items.0.tts_sample.url"),
	    .headers = { "Range: bytes=99999999-" });
}

static struct answer
two_faults(void)
{
	return post("/saas/voice/clone",
	    "{\"data\":{\"name\":\"x\",\"samples\":[{\"filename\":\"a.wav\","
	    "\"mime_type\":\"text/plain\",\"lang_code\":\"en\"}]}}");
}

static struct answer
bad_query(void)
{
	return ASK(.path = "/saas/voice?page_size=0", .as = &me);
}

static struct answer
key_twice(void)
{
	CLONE(.as = &me, .name = "First body", .key = "shape");
	return CLONE(.as = &me, .name = "Second body", .key = "shape");
}

static struct answer
no_engine(void)
{
	return post(text("/saas/voice/m/%s/tts-sample", voice),
	    "{\"data\":{\"lang_code\":\"mn\"}}");
}

/* clang-format off */
static const struct {
	const char *name;
	struct answer (*come)(void);
	int status;
	const char *example;
} shapes[] = {
	{ "upload answer", upload_target, 200, "{\"ok\":true,\"data\":[" TARGET "]}" },
	{ "clone answer", clone, 200, "{\"ok\":true,\"data\":{" VOICE_HEAD
	  "{\"warnings\":[],\"errors\":[]}" VOICE_TAIL
	  ",\"is_favorite\":false,\"samples\":[" TARGET "]}}" },
	{ "voice page", voice_page, 200, "{\"ok\":true,\"data\":{\"items\":[{" VOICE_HEAD
	  "{\"warnings\":[" PROBLEM("sample-short", 422, "Sample is short", 100201) "}],"
	  "\"errors\":[]}" VOICE_TAIL ",\"is_favorite\":true,\"tts_sample\":" SAMPLE "}],"
	  "\"page_size\":10,\"count\":1,\"next\":null}}" },
	{ "limits", limits, 200, "{\"ok\":true,\"data\":{\"created\":0,\"pending\":1,"
	  "\"ready\":4,\"failed\":1,\"total\":6,\"limit\":30,\"remaining\":24}}" },
	{ "TTS sample", tts_sample, 200, "{\"ok\":true,\"data\":" SAMPLE "}" },
	{ "health", health, 200, "{\"ok\":true,\"data\":{\"status\":\"ok\",\"version\":"
	  "\"" VERSION "\",\"database\":\"ok\",\"schema_version\":1,\"workers\":[{\"name\":"
	  "\"voice\",\"last_run_at\":null,\"status\":\"ok\"}],\"node\":\"a\",\"store\":\"ok\",\"webrtc\":\"ok\",\"nats\":\"off\",\"sandbox\":"
	  "{\"landlock\":true,\"seccomp\":true}}}" },
	{ "400", bad_json, 400, PROBLEMS(PROBLEM("bad-request", 400, "Bad request", 100010) "}") },
	{ "400 token", bad_token, 400, PROBLEMS(PROBLEM("invalid-page-token", 400, "Bad request", 100010) ",\"parameter\":\"token\"}") },
	{ "401", bad_key, 401, PROBLEMS(PROBLEM("unauthorized", 401, "Unauthorized", 100020) "}") },
	{ "403 scope", no_scope, 403, PROBLEMS(PROBLEM("insufficient-scope", 403, "Forbidden resource", 100050) "}") },
	{ "403 lock", locked, 403, PROBLEMS(PROBLEM("resource-locked", 403, "Resource locked", 100051) "}") },
	{ "404", unknown, 404, PROBLEMS(PROBLEM("resource-not-found", 404, "Resource not found", 100040) "}") },
	{ "404 flat", unknown_flat, 404, PROBLEM("resource-not-found", 404, "Resource not found", 100040) "}" },
	{ "405", method, 405, PROBLEMS(PROBLEM("method-not-allowed", 405, "Method not allowed", 100060) "}") },
	{ "412", stale, 412, PROBLEMS(PROBLEM("stale-version", 412, "Precondition failed", 100071) ",\"parameter\":\"If-Match\"}") },
	{ "413", too_large, 413, PROBLEMS(PROBLEM("payload-too-large", 413, "Payload too large", 100080) "}") },
	{ "415", not_json, 415, PROBLEMS(PROBLEM("unsupported-media-type", 415, "Unsupported media type", 100081) "}") },
	{ "416", range, 416, PROBLEMS(PROBLEM("range-not-satisfiable", 416, "Range not satisfiable", 100084) ",\"parameter\":\"Range\"}") },
	{ "422 fields", two_faults, 422, PROBLEMS(
	  PROBLEM("validation-error", 422, "Validation error", 100030) ",\"pointer\":\"/data/name\"},"
	  PROBLEM("validation-error", 422, "Validation error", 100030) ",\"pointer\":\"/data/samples/0/mime_type\"}") },
	{ "422 query", bad_query, 422, PROBLEMS(PROBLEM("validation-error", 422, "Validation error", 100030) ",\"parameter\":\"page_size\"}") },
	{ "422 idempotency", key_twice, 422, PROBLEMS(PROBLEM("idempotency-key-reused", 422, "Idempotency key reused", 100031) ",\"parameter\":\"Idempotency-Key\"}") },
	{ "503 engine", no_engine, 503, PROBLEMS(PROBLEM("engine-unavailable", 503, "Engine unavailable", 100103) "}") },
};
/* clang-format on */

START_TEST(an_answer_has_the_shape_of_the_contract)
{
	struct answer a = shapes[_i].come();

	ck_assert_msg(
	    a.status == shapes[_i].status, "%s: %s", shapes[_i].name, shown(&a));
	expect_shape(shapes[_i].name, shapes[_i].example, a.json);
}
END_TEST

START_TEST(a_policy_has_the_conditions_of_the_contract)
{
	json_t *target = target_new(&me, "audio/wav"), *got, *want;
	struct form f = form_of(target, (struct bytes){ "", 0 });
	const char *policy = form_value(&f, "Policy"), *plain;
	size_t n;

	plain = (const char *)base64_read(memory(), policy, strlen(policy), &n);
	got = json_loadb(plain, n, JSON_REJECT_DUPLICATES, NULL);
	want = json_pack("[[s,i,i],[s,s,s],{s:s},{s:s},{s:s},{s:s},{s:s},{s:s}]",
	    "content-length-range", 100001, 9999999, "eq", "$Content-Type", "audio/wav",
	    "success_action_status", "201", "bucket", form_value(&f, "bucket"),
	    "X-Amz-Algorithm", "AWS4-HMAC-SHA256", "X-Amz-Credential",
	    form_value(&f, "X-Amz-Credential"), "X-Amz-Date",
	    form_value(&f, "X-Amz-Date"), "key", form_value(&f, "key"));
	ck_assert_msg(json_equal(at(got, "conditions"), want), "%s", plain);
	ck_assert_str_eq(json_object_iter_key(json_object_iter(got)), "expiration");
	ck_assert_int_eq(json_object_size(got), 2);
	ck_assert_str_eq(form_value(&f, "key"),
	    text("u/%s/%s", me.user_id, text_at(target, "blob_id")));
}
END_TEST

Suite *
shapes_suite(void)
{
	TCase *t;
	Suite *s = suite_of("shapes", before, &t);

	tcase_add_loop_test(
	    t, an_answer_has_the_shape_of_the_contract, 0, ROWS(shapes));
	tcase_add_test(t, a_policy_has_the_conditions_of_the_contract);
	return s;
}
