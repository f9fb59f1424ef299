/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <check.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/clock.h"
#include "blob/policy.h"
#include "tests/unit/suite.h"

/* An example that was calculated by other software. */
#define ACCOUNT "62f746b4-84e6-4ceb-95bd-447e7184d454"
#define BLOB "ec7ac8ad-1b2b-406b-aae1-2c972399d29d"
#define KEY "u/" ACCOUNT "/" BLOB
#define NOW (INT64_C(1795169924) * S_US) /* 2026-11-20T10:18:44Z */

static const struct sigv4 ours = { "DGMEXAMPLE0000000001",
	"dragoman/example+secret/0123456789abcdef", "us-east-1" };
static const struct policy_grant grant = { "media", KEY, "audio/wav", 100001, 9999999,
	NOW, 3600 };

static struct arena *mem;
static struct policy_field form[64];
static size_t nform;

static void
setup(void)
{
	mem = arena_new();
	policy_form(mem, &ours, &grant, form);
	nform = FORM_FIELDS;
}

static void
teardown(void)
{
	arena_free(mem);
}

/* ---- what others computed ---- */

static const struct policy_field example[FORM_FIELDS] = {
	{ "key", KEY },
	{ "Content-Type", "audio/wav" },
	{ "success_action_status", "201" },
	{ "bucket", "media" },
	{ "X-Amz-Algorithm", "AWS4-HMAC-SHA256" },
	{ "X-Amz-Credential",
	    "DGMEXAMPLE0000000001/20261120/us-east-1/s3/aws4_request" },
	{ "X-Amz-Date", "20261120T101844Z" },
	{ "Policy",
	    "eyJleHBpcmF0aW9uIjoiMjAyNi0xMS0yMFQxMToxODo0NFoiLCJjb25kaXRpb25zIjpbWyJjb2"
	    "50ZW50LWxlbmd0aC1yYW5nZSIsMTAwMDAxLDk5OTk5OTldLFsiZXEiLCIkQ29udGVudC1UeXBl"
	    "IiwiYXVkaW8vd2F2Il0seyJzdWNjZXNzX2FjdGlvbl9zdGF0dXMiOiIyMDEifSx7ImJ1Y2tldC"
	    "I6Im1lZGlhIn0seyJYLUFtei1BbGdvcml0aG0iOiJBV1M0LUhNQUMtU0hBMjU2In0seyJYLUFt"
	    "ei1DcmVkZW50aWFsIjoiREdNRVhBTVBMRTAwMDAwMDAwMDEvMjAyNjExMjAvdXMtZWFzdC0xL3"
	    "MzL2F3czRfcmVxdWVzdCJ9LHsiWC1BbXotRGF0ZSI6IjIwMjYxMTIwVDEwMTg0NFoifSx7Imtl"
	    "eSI6InUvNjJmNzQ2YjQtODRlNi00Y2ViLTk1YmQtNDQ3ZTcxODRkNDU0L2VjN2FjOGFkLTFiMm"
	    "ItNDA2Yi1hYWUxLTJjOTcyMzk5ZDI5ZCJ9XX0=" },
	{ "X-Amz-Signature",
	    "8a3c9c186686782c57bbfe64a7109bfafa9a53c2c75d44ee7bce383c12b33b7a" },
};

START_TEST(the_form_of_the_contract_byte_for_byte)
{
	for (int i = 0; i < FORM_FIELDS; i++) {
		ck_assert_str_eq(form[i].name, example[i].name);
		ck_assert_str_eq(form[i].value, example[i].value);
	}
}
END_TEST

START_TEST(the_policy_of_the_contract_byte_for_byte)
{
	size_t n;
	unsigned char *text = base64_read(
	    mem, form[FORM_POLICY].value, strlen(form[FORM_POLICY].value), &n);

	ck_assert_str_eq(arena_dup(mem, (char *)text, n),
	    "{\"expiration\":\"2026-11-20T11:18:44Z\",\"conditions\":"
	    "[[\"content-length-range\",100001,9999999],"
	    "[\"eq\",\"$Content-Type\",\"audio/wav\"],"
	    "{\"success_action_status\":\"201\"},{\"bucket\":\"media\"},"
	    "{\"X-Amz-Algorithm\":\"AWS4-HMAC-SHA256\"},"
	    "{\"X-Amz-Credential\":\"DGMEXAMPLE0000000001/20261120/us-east-1/s3/"
	    "aws4_request\"},"
	    "{\"X-Amz-Date\":\"20261120T101844Z\"},{\"key\":\"" KEY "\"}]}");
}
END_TEST

/* The example credentials of AWS's documentation. */
static const struct sigv4 aws = { "AKIAIOSFODNN7EXAMPLE",
	"wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY", "us-east-1" };

/* "Examples: Browser-Based Upload using HTTP POST (Using AWS Signature V4)" */
static const char aws_policy[] =
    "{ \"expiration\": \"2015-12-30T12:00:00.000Z\",\r\n"
    "  \"conditions\": [\r\n"
    "    {\"bucket\": \"sigv4examplebucket\"},\r\n"
    "    [\"starts-with\", \"$key\", \"user/user1/\"],\r\n"
    "    {\"acl\": \"public-read\"},\r\n"
    "    {\"success_action_redirect\": "
    "\"http://sigv4examplebucket.s3.amazonaws.com/successful_upload.html\"},\r\n"
    "    [\"starts-with\", \"$Content-Type\", \"image/\"],\r\n"
    "    {\"x-amz-meta-uuid\": \"14365123651274\"},\r\n"
    "    {\"x-amz-server-side-encryption\": \"AES256\"},\r\n"
    "    [\"starts-with\", \"$x-amz-meta-tag\", \"\"],\r\n"
    "\r\n"
    "    {\"x-amz-credential\": "
    "\"AKIAIOSFODNN7EXAMPLE/20151229/us-east-1/s3/aws4_request\"},\r\n"
    "    {\"x-amz-algorithm\": \"AWS4-HMAC-SHA256\"},\r\n"
    "    {\"x-amz-date\": \"20151229T000000Z\" }\r\n"
    "  ]\r\n"
    "}";

START_TEST(the_form_of_the_aws_documentation_is_good)
{
	const struct policy_field fields[] = {
		{ "key", "user/user1/${filename}" },
		{ "acl", "public-read" },
		{ "success_action_redirect",
		    "http://sigv4examplebucket.s3.amazonaws.com/"
		    "successful_upload.html" },
		{ "Content-Type", "image/jpeg" },
		{ "x-amz-meta-uuid", "14365123651274" },
		{ "x-amz-server-side-encryption", "AES256" },
		{ "X-Amz-Credential",
		    "AKIAIOSFODNN7EXAMPLE/20151229/us-east-1/s3/aws4_request" },
		{ "X-Amz-Algorithm", "AWS4-HMAC-SHA256" },
		{ "X-Amz-Date", "20151229T000000Z" },
		{ "x-amz-meta-tag", "" },
		{ "bucket", "sigv4examplebucket" },
		{ "Policy", base64(mem, aws_policy, sizeof(aws_policy) - 1) },
		{ "X-Amz-Signature", "8afdbf4008c03f22c2cd3cdb72e4afbb1f6a588f3255ac628"
				     "749a66d7f09699e" },
	};
	struct policy_bound to;
	int64_t until;

	ck_assert(time_parse("2015-12-30T12:00:00Z", &until));
	ck_assert_int_eq(
	    policy_check(mem, &aws, fields, 13, until - 1, &to), POLICY_GOOD);
	ck_assert_str_eq(to.key, "user/user1/${filename}");
	ck_assert_int_eq(to.status, 204);
	ck_assert_int_eq(
	    policy_check(mem, &aws, fields, 13, until, &to), POLICY_DENIED);
}
END_TEST

/* "Authenticating Requests: Using Query Parameters (AWS Signature Version 4)" */
START_TEST(the_presigned_url_of_the_aws_documentation)
{
	struct sigv4_call call = {
		.method = "GET",
		.url = "https://examplebucket.s3.amazonaws.com/test.txt",
		.seconds = 86400,
	};

	ck_assert(time_parse("2013-05-24T00:00:00Z", &call.now_us));
	ck_assert_str_eq(sigv4_url(mem, &aws, &call),
	    "https://examplebucket.s3.amazonaws.com/test.txt"
	    "?X-Amz-Algorithm=AWS4-HMAC-SHA256"
	    "&X-Amz-Credential=AKIAIOSFODNN7EXAMPLE%2F20130524%2Fus-east-1%2Fs3%2F"
	    "aws4_request&X-Amz-Date=20130524T000000Z&X-Amz-Expires=86400"
	    "&X-Amz-SignedHeaders=host&X-Amz-Signature="
	    "aeeed9bbccd4d02ee5c0109b86d86835f995330da4c265957d157751f604d404");
}
END_TEST

START_TEST(urls_are_encoded_as_aws_wants_it)
{
	ck_assert_str_eq(sigv4_encode(mem, "a/b c+~.-_%\xc3\xbc", false),
	    "a%2Fb%20c%2B~.-_%25%C3%BC");
	ck_assert_str_eq(sigv4_encode(mem, "a/b", true), "a/b");
}
END_TEST

/* ---- our own form, tampered with ---- */

static struct policy_bound bound;

static enum policy_verdict
check(void)
{
	return policy_check(mem, &ours, form, nform, NOW, &bound);
}

static void
set(const char *name, const char *value)
{
	size_t i = 0;

	while (i < nform && strcmp(form[i].name, name) != 0)
		i++;
	if (value == NULL)
		form[i] = form[--nform];
	else {
		form[i] = (struct policy_field){ name, value };
		nform += i == nform;
	}
}

START_TEST(an_untouched_form_is_good_and_tells_what_it_binds)
{
	ck_assert_int_eq(check(), POLICY_GOOD);
	ck_assert_str_eq(bound.key, KEY);
	ck_assert_int_eq(bound.min_bytes, 100001);
	ck_assert_int_eq(bound.max_bytes, 9999999);
	ck_assert_int_eq(bound.status, 201);
}
END_TEST

START_TEST(names_in_any_case)
{
	for (size_t i = 0; i < nform; i++) {
		char *name = arena_str(mem, form[i].name);

		for (char *s = name; *s != '\0'; s++)
			if (*s >= 'a' && *s <= 'z')
				*s = (char)(*s - 'a' + 'A');
		form[i].name = name;
	}
	ck_assert_int_eq(check(), POLICY_GOOD);
}
END_TEST

START_TEST(a_form_is_good_until_it_expires)
{
	int64_t end = NOW + 3600 * S_US;

	ck_assert_int_eq(
	    policy_check(mem, &ours, form, nform, end - 1, &bound), POLICY_GOOD);
	ck_assert_int_eq(
	    policy_check(mem, &ours, form, nform, end, &bound), POLICY_DENIED);
}
END_TEST

#define CREDENTIAL(key, day) key "/" day "/us-east-1/s3/aws4_request"

static const struct {
	const char *name;
	const char *value; /* NULL: the field is left out */
	enum policy_verdict verdict;
} changes[] = {
	{ "Content-Type", "audio/mpeg", POLICY_DENIED },
	{ "Content-Type", "Audio/Wav", POLICY_DENIED },
	{ "Content-Type", "", POLICY_DENIED }, { "Content-Type", NULL, POLICY_DENIED },
	{ "success_action_status", "200", POLICY_DENIED },
	{ "success_action_status", NULL, POLICY_DENIED },
	{ "bucket", "other", POLICY_DENIED }, { "bucket", NULL, POLICY_DENIED },
	{ "key", "u/" ACCOUNT "/" ACCOUNT, POLICY_DENIED },
	{ "key", "../" KEY, POLICY_DENIED }, { "key", KEY "/../x", POLICY_DENIED },
	{ "key", "", POLICY_DENIED }, { "key", NULL, POLICY_DENIED },
	{ "X-Amz-Algorithm", "AWS4-HMAC-SHA1", POLICY_DENIED },
	{ "X-Amz-Algorithm", NULL, POLICY_DENIED },
	{ "X-Amz-Date", "20261120T101845Z", POLICY_DENIED },
	{ "X-Amz-Date", NULL, POLICY_DENIED },
	{ "X-Amz-Credential", CREDENTIAL("DGMEXAMPLE0000000001", "20261121"),
	    POLICY_DENIED },
	{ "X-Amz-Credential", NULL, POLICY_DENIED },
	{ "X-Amz-Credential", CREDENTIAL("DGMEXAMPLE0000000002", "20261120"),
	    POLICY_KEY },
	{ "X-Amz-Credential", CREDENTIAL("DGMEXAMPLE00000000011", "20261120"),
	    POLICY_KEY },
	{ "X-Amz-Credential", "", POLICY_KEY },
	{ "x-amz-meta-author", "me", POLICY_DENIED },
	{ "acl", "public-read", POLICY_DENIED }, { "", "nameless", POLICY_DENIED },
	{ "x-ignore-me", "whatever", POLICY_GOOD }, { "X-Ignore-", "", POLICY_GOOD },
	{ "x-ignor", "", POLICY_DENIED }, { "X-Amz-Signature", NULL, POLICY_ARGUMENT },
	{ "X-Amz-Signature", "", POLICY_SIGNATURE },
	{ "X-Amz-Signature",
	    "8A3C9C186686782C57BBFE64A7109BFAFA9A53C2C75D44EE7BCE383C12B33B7A",
	    POLICY_SIGNATURE },
	{ "X-Amz-Signature",
	    "9a3c9c186686782c57bbfe64a7109bfafa9a53c2c75d44ee7bce383c12b33b7a",
	    POLICY_SIGNATURE },
	{ "Policy", NULL, POLICY_DENIED }, { "Policy", "", POLICY_SIGNATURE },
	{ "Policy", "not base64!", POLICY_SIGNATURE },
	{ "Policy", "e30=", POLICY_SIGNATURE }, /* {} */
	{ "KEY", KEY, POLICY_ARGUMENT },        /* a second one */
};

START_TEST(a_changed_form)
{
	set(changes[_i].name, changes[_i].value);
	ck_assert_int_eq(check(), changes[_i].verdict);
}
END_TEST

START_TEST(no_flipped_bit_of_the_policy_passes)
{
	char *text = arena_str(mem, form[FORM_POLICY].value);

	form[FORM_POLICY].value = text;
	for (size_t i = 0; text[i] != '\0'; i++) {
		text[i] ^= 1;
		ck_assert_int_eq(check(), POLICY_SIGNATURE);
		text[i] ^= 1;
	}
	ck_assert_int_eq(check(), POLICY_GOOD);
}
END_TEST

START_TEST(without_any_policy_field)
{
	nform = 2; /* key and Content-Type */
	ck_assert_int_eq(check(), POLICY_NONE);
	nform = 0;
	ck_assert_int_eq(check(), POLICY_NONE);
}
END_TEST

START_TEST(what_may_be_ignored_may_be_there_twice)
{
	form[nform++] = (struct policy_field){ "x-ignore-a", "1" };
	form[nform++] = (struct policy_field){ "x-ignore-a", "2" };
	ck_assert_int_eq(check(), POLICY_GOOD);
}
END_TEST

START_TEST(a_form_of_another_secret)
{
	struct sigv4 other = ours;

	other.secret = "something else";
	policy_form(mem, &other, &grant, form);
	ck_assert_int_eq(check(), POLICY_SIGNATURE);
}
END_TEST

/* ---- other policies of our own making ---- */

#define UNTIL "{\"expiration\":\"2026-11-20T11:00:00Z\",\"conditions\":"
#define ANY "[\"starts-with\",\"$key\",\"\"]"

static const struct {
	const char *policy;
	const char *status; /* field success_action_status; NULL: none */
	enum policy_verdict verdict;
	int bound_status;
	int64_t min, max;
} policies[] = {
	{ UNTIL "[" ANY "]}", NULL, POLICY_GOOD, 204, 0, INT64_MAX },
	{ UNTIL "[" ANY "]}", "201", POLICY_DENIED, 0, 0, 0 },
	{ UNTIL "[" ANY ",{\"success_action_status\":\"200\"}]}", "200", POLICY_GOOD,
	    200, 0, INT64_MAX },
	{ UNTIL "[" ANY ",{\"success_action_status\":\"204\"}]}", "204", POLICY_GOOD,
	    204, 0, INT64_MAX },
	{ UNTIL "[" ANY ",{\"success_action_status\":\"302\"}]}", "302", POLICY_GOOD,
	    204, 0, INT64_MAX },
	{ UNTIL "[" ANY ",[\"STARTS-WITH\",\"$Success_Action_Status\",\"2\"]]}", "200",
	    POLICY_GOOD, 200, 0, INT64_MAX },
	{ UNTIL "[[\"eq\",\"$KEY\",\"some/key\"]]}", NULL, POLICY_GOOD, 204, 0,
	    INT64_MAX },
	{ UNTIL "[{\"key\":\"some/key\",\"bucket\":\"\"}]}", NULL, POLICY_GOOD, 204, 0,
	    INT64_MAX },
	{ UNTIL "[" ANY ",[\"content-length-range\",1,9],"
		"[\"Content-Length-Range\",3,20]]}",
	    NULL, POLICY_GOOD, 204, 3, 9 },
	{ UNTIL "[" ANY ",[\"content-length-range\",\"1\",9]]}", NULL, POLICY_DENIED, 0,
	    0, 0 },
	{ UNTIL "[" ANY ",[\"content-length-range\",1]]}", NULL, POLICY_DENIED, 0, 0,
	    0 },
	{ UNTIL "[" ANY ",[\"ends-with\",\"$key\",\"y\"]]}", NULL, POLICY_DENIED, 0, 0,
	    0 },
	{ UNTIL "[" ANY ",[\"eq\",\"key\",\"some/key\"]]}", NULL, POLICY_DENIED, 0, 0,
	    0 },
	{ UNTIL "[" ANY ",[\"eq\",\"$key\",7]]}", NULL, POLICY_DENIED, 0, 0, 0 },
	{ UNTIL "[" ANY ",[\"eq\",\"$key\",\"some/key\\u0000\"]]}", NULL, POLICY_DENIED,
	    0, 0, 0 },
	{ UNTIL "[" ANY ",[\"eq\",\"$key\",\"some/key\",\"more\"]]}", NULL,
	    POLICY_DENIED, 0, 0, 0 },
	{ UNTIL "[" ANY ",{\"key\":[]}]}", NULL, POLICY_DENIED, 0, 0, 0 },
	{ UNTIL "[" ANY ",{}]}", NULL, POLICY_DENIED, 0, 0, 0 },
	{ UNTIL "[" ANY ",[]]}", NULL, POLICY_DENIED, 0, 0, 0 },
	{ UNTIL "[" ANY ",null]}", NULL, POLICY_DENIED, 0, 0, 0 },
	{ UNTIL "[]}", NULL, POLICY_DENIED, 0, 0, 0 }, /* key is not covered */
	{ UNTIL "{}}", NULL, POLICY_DENIED, 0, 0, 0 },
	{ "{\"conditions\":[" ANY "]}", NULL, POLICY_DENIED, 0, 0, 0 },
	{ "{\"expiration\":\"tomorrow\",\"conditions\":[" ANY "]}", NULL, POLICY_DENIED,
	    0, 0, 0 },
	{ "{\"expiration\":9999999999,\"conditions\":[" ANY "]}", NULL, POLICY_DENIED,
	    0, 0, 0 },
	{ "[]", NULL, POLICY_DENIED, 0, 0, 0 },
	{ "{", NULL, POLICY_DENIED, 0, 0, 0 },
	{ "", NULL, POLICY_DENIED, 0, 0, 0 },
};

START_TEST(a_policy_we_signed)
{
	const char *text = policies[_i].policy;
	const char *policy = base64(mem, text, strlen(text));

	/* None of these policies covers the fields that SigV4 itself needs. */
	nform = 0;
	set("key", "some/key");
	set("Policy", policy);
	set("X-Amz-Signature", sigv4_sign(mem, &ours, "20261120", policy));
	set("x-ignore-", "");
	if (policies[_i].status != NULL)
		set("success_action_status", policies[_i].status);
	/* No field names the day of the signature, so the policy is not signed. */
	ck_assert_int_eq(check(), POLICY_SIGNATURE);
	set("X-Amz-Credential", CREDENTIAL("DGMEXAMPLE0000000001", "20261120"));
	ck_assert_int_eq(check(), POLICY_DENIED); /* not covered */
}
END_TEST

/* The same policies with the credential covered. */
START_TEST(a_policy_we_signed_and_its_credential)
{
	static const char extra[] =
	    "\"conditions\":[{\"X-Amz-Credential\":\"" CREDENTIAL(
		"DGMEXAMPLE0000000001", "20261120") "\"},";
	const char *text = policies[_i].policy, *at = strstr(text, "\"conditions\":[");
	const char *policy;

	if (at != NULL && at[14] != ']')
		text = arena_printf(
		    mem, "%.*s%s%s", (int)(at - text), text, extra, at + 14);
	policy = base64(mem, text, strlen(text));
	nform = 0;
	set("key", "some/key");
	set("Policy", policy);
	set("X-Amz-Signature", sigv4_sign(mem, &ours, "20261120", policy));
	set("X-Amz-Credential", CREDENTIAL("DGMEXAMPLE0000000001", "20261120"));
	if (policies[_i].status != NULL)
		set("success_action_status", policies[_i].status);
	ck_assert_int_eq(check(), policies[_i].verdict);
	if (policies[_i].verdict != POLICY_GOOD)
		return;
	ck_assert_int_eq(bound.status, policies[_i].bound_status);
	ck_assert_int_eq(bound.min_bytes, policies[_i].min);
	ck_assert_int_eq(bound.max_bytes, policies[_i].max);
	ck_assert_str_eq(bound.key, "some/key");
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("policy");
	TCase *t = tcase_create("all");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, the_form_of_the_contract_byte_for_byte);
	tcase_add_test(t, the_policy_of_the_contract_byte_for_byte);
	tcase_add_test(t, the_form_of_the_aws_documentation_is_good);
	tcase_add_test(t, the_presigned_url_of_the_aws_documentation);
	tcase_add_test(t, urls_are_encoded_as_aws_wants_it);
	tcase_add_test(t, an_untouched_form_is_good_and_tells_what_it_binds);
	tcase_add_test(t, names_in_any_case);
	tcase_add_test(t, a_form_is_good_until_it_expires);
	tcase_add_loop_test(t, a_changed_form, 0, COUNT(changes));
	tcase_add_test(t, no_flipped_bit_of_the_policy_passes);
	tcase_add_test(t, without_any_policy_field);
	tcase_add_test(t, what_may_be_ignored_may_be_there_twice);
	tcase_add_test(t, a_form_of_another_secret);
	tcase_add_loop_test(t, a_policy_we_signed, 0, COUNT(policies));
	tcase_add_loop_test(
	    t, a_policy_we_signed_and_its_credential, 0, COUNT(policies));
	suite_add_tcase(s, t);
	return unit_run(s);
}
