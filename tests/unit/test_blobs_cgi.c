/*
 * /blobs as a whole: every row of the contract's §6.4 and §6.6.  The files may
 * have 10 to 100,000 bytes here.
 */
#include <check.h>
#include <fcntl.h>
#include <ftw.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#define UNIT_TEST
#include "../../cgi-bin/blobs.c"

#include "base/hash.h"
#include "base/json.h"
#include "base/text.h"

#define ACCOUNT "62f746b4-84e6-4ceb-95bd-447e7184d454"
#define OTHER "72f746b4-84e6-4ceb-95bd-447e7184d454"
#define BLOB "ec7ac8ad-1b2b-406b-aae1-2c972399d29d"
#define SAMPLE "fc7ac8ad-1b2b-406b-aae1-2c972399d29d"
#define VOICE "0c7ac8ad-1b2b-406b-aae1-2c972399d29d"
#define CLIENT "1c7ac8ad-1b2b-406b-aae1-2c972399d29d"
#define MIN 10
#define MAX 100000

static struct arena *mem;
static struct app app;
static char *root; /* a folder of this test's own */

/* ---- a small installation ---- */

static void
run(const char *sql)
{
	ck_assert_int_eq(db_script(app.db, sql), OK);
}

static const char *
slurp(const char *path)
{
	FILE *f = fopen(path, "r");
	char *text = arena_alloc(mem, 1 << 20);

	ck_assert_ptr_nonnull(f);
	text[fread(text, 1, (1 << 20) - 1, f)] = '\0';
	fclose(f);
	return text;
}

static void
add_client(const char *id, const char *account, const char *scopes)
{
	run(arena_printf(mem,
	    "INSERT INTO credentials VALUES ('%s', '%s', 'pair', '%s', '%s', '', 1, "
	    "NULL)",
	    id, account, hash_hex(mem, id, strlen(id)), scopes));
}

static void
setup(void)
{
	mem = arena_new();
	root = arena_str(mem, "/tmp/test_blobs.XXXXXX");
	ck_assert_ptr_nonnull(mkdtemp(root));
	app = (struct app){ .name = "blobs", .routes = blob_routes };
	app.conf = (struct conf){ .server_base_url = "https://speech.example.org",
		.blob_store = "disk",
		.blob_dir = arena_printf(mem, "%s/blobs", root),
		.blob_url_s = 3600,
		.blob_bucket = "media",
		.blob_region = "us-east-1",
		.blob_access_key = "AK",
		.blob_secret_key = "secret",
		.blob_endpoint = "https://media.s3.example.org",
		.upload_form_s = 3600,
		.cors_origins = "*" };
	ck_assert_int_eq(
	    db_open(&app.db, arena_printf(mem, "sqlite:%s/db", root), 100, true), OK);
	run(slurp("schema/0001_foundation.sql"));
	run("INSERT INTO accounts (id, name, status, created_us) VALUES"
	    " ('" ACCOUNT "', 'a', 'active', 1), ('" OTHER "', 'b', 'active', 1);"
	    "INSERT INTO blobs (id, account, kind, state, mime_type, filename, voice,"
	    " min_bytes, max_bytes, created_us) VALUES ('" BLOB "', '" ACCOUNT
	    "', 'upload', 'awaiting', 'audio/wav', 'x.wav', NULL, 10, 100000, 1),"
	    " ('" SAMPLE "', '" ACCOUNT "', 'voice_sample', 'awaiting', 'audio/wav',"
	    " 'x.wav', '" VOICE "', 10, 100000, 1);"
	    "INSERT INTO voices (id, account, created_us, updated_us, name, folded,"
	    " status, lang, hidden, denoise, normalise) VALUES ('" VOICE "', '" ACCOUNT
	    "', 1, 1, 'v', 'v', 'created', 'en', 0, 0, 0);");
	add_client(CLIENT, ACCOUNT, "uploads:write");
}

static int
remove_it(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)st, (void)type, (void)at;
	return remove(path);
}

static void
teardown(void)
{
	db_close(app.db);
	nftw(root, remove_it, 16, FTW_DEPTH | FTW_PHYS);
	arena_free(mem);
}

static int nfiles;

static int
count_it(const char *path, const struct stat *st, int type, struct FTW *at)
{
	(void)path, (void)st, (void)at;
	nfiles += type == FTW_F;
	return 0;
}

/* Below blob.dir, temporary ones too. */
static int
files(void)
{
	nfiles = 0;
	nftw(app.conf.blob_dir, count_it, 16, FTW_PHYS);
	return nfiles;
}

/* Statements are static: the database keys them by address. */
static const struct sql stored_sum = { "test.stored",
	"SELECT stored_bytes FROM accounts WHERE id = $1", NULL };
static const struct sql jobs_of = { "test.jobs",
	"SELECT count(*) FROM jobs WHERE kind = $1 AND ref = $2", NULL };
static const struct sql jobs_all = { "test.jobs_all", "SELECT count(*) FROM jobs",
	NULL };
static const struct sql voice_pending = { "test.voice",
	"SELECT count(*) FROM voices WHERE status = 'pending'", NULL };

static int64_t
stored(void)
{
	int64_t n;

	ck_assert_int_eq(db_number(app.db, &stored_sum, ARGS(TEXT(ACCOUNT)), &n), OK);
	return n;
}

static int64_t
number(const struct sql *q)
{
	int64_t n;

	ck_assert_int_eq(db_number(app.db, q, ARGS(), &n), OK);
	return n;
}

static int64_t
jobs(const char *kind, const char *ref)
{
	int64_t n;

	ck_assert_int_eq(
	    db_number(app.db, &jobs_of, ARGS(TEXT(kind), TEXT(ref)), &n), OK);
	return n;
}

static struct blob
row(const char *id)
{
	struct blob b;

	ck_assert_int_eq(blob_get(app.db, mem, id, &b), OK);
	return b;
}

/* ---- requests ---- */

struct call {
	const char *vars[16]; /* name, value, ... NULL */
	const char *body;
	size_t body_len;
	/* the answer */
	int status;
	const char *head, *out;
	size_t out_len;
};

static const char *
param(const struct request *rq, const char *name)
{
	const struct call *c = rq->wire;

	for (int i = 0; c->vars[i] != NULL; i += 2)
		if (strcmp(c->vars[i], name) == 0)
			return c->vars[i + 1];
	return NULL;
}

static size_t
read_some(struct request *rq, void *to, size_t n)
{
	struct call *c = rq->wire;

	if (n > 1000)
		n = 1000;
	if (n > c->body_len)
		n = c->body_len;
	memcpy(to, c->body, n);
	c->body += n;
	c->body_len -= n;
	return n;
}

static const char *
all_of(struct arena *to, const struct request *rq)
{
	char *s;

	if (rq->file < 0)
		return arena_dup(to, rq->out.p, rq->out.len);
	s = arena_alloc(to, (size_t)rq->file_bytes + 1);
	ck_assert_int_eq(
	    pread(rq->file, s, (size_t)rq->file_bytes, rq->file_at), rq->file_bytes);
	return s;
}

static int
ask(struct call *c, const char *method, const char *target)
{
	struct arena *own = arena_new();
	struct request rq = { .mem = own,
		.app = &app,
		.conf = &app.conf,
		.db = app.db,
		.method = method,
		.target = target,
		.peer = "192.0.2.1",
		.content_length = (int64_t)c->body_len,
		.param = param,
		.read = read_some,
		.wire = c,
		.common.mem = own,
		.head.mem = own,
		.out.mem = own };

	if (c->vars[0] == NULL || param(&rq, "CONTENT_LENGTH") == NULL)
		rq.content_length = c->body_len > 0 ? -1 : 0;
	dispatch(&rq);
	c->status = rq.status;
	c->head = arena_printf(mem, "\r\n%.*s%.*s", (int)rq.common.len, rq.common.p,
	    (int)rq.head.len, rq.head.len > 0 ? rq.head.p : "");
	c->out = all_of(mem, &rq);
	c->out_len = rq.file < 0 ? rq.out.len : (size_t)rq.file_bytes;
	arena_free(own);
	return c->status;
}

/* The value of a header of the answer, or NULL. */
static const char *
header_of(const struct call *c, const char *name)
{
	const char *p = strstr(c->head, arena_printf(mem, "\r\n%s: ", name));

	if (p == NULL)
		return NULL;
	p += strlen(name) + 4;
	return arena_dup(mem, p, strcspn(p, "\r"));
}

static const char *
xml_of(const struct call *c, const char *name)
{
	struct xml_text t = { name, NULL };

	ck_assert_str_eq(header_of(c, "Content-Type"), "application/xml");
	ck_assert(xml_read(mem, c->out, c->out_len, &t, 1));
	return t.text;
}

/* ---- forms ---- */

struct form {
	struct policy_field f[72];
	size_t n;
	const char *file; /* NULL: no such part */
	size_t bytes;
	const char *file_head;    /* of its part */
	struct policy_field tail; /* a field behind the file */
	bool file_first;
};

static struct form form;

static void
grant(const char *blob_id, int64_t now)
{
	const struct upload_want w = { ACCOUNT, blob_id, "i", "audio/wav", MIN, MAX };
	struct upload_target t = target_make(mem, &app.conf, &w, now);

	form = (struct form){ .n = FORM_FIELDS,
		.file = "0123456789",
		.bytes = MIN,
		.file_head = "filename=\"x.wav\"\r\nContent-Type: audio/wav" };
	for (int i = 0; i < FORM_FIELDS; i++)
		form.f[i] = (struct policy_field){ policy_names[i], t.form[i] };
}

static void
setup_form(void)
{
	setup();
	grant(BLOB, now_us());
}

static void
set(const char *name, const char *value)
{
	size_t i = 0;

	while (i < form.n && strcmp(form.f[i].name, name) != 0)
		i++;
	if (value == NULL)
		form.f[i] = form.f[--form.n];
	else {
		form.f[i] = (struct policy_field){ name, value };
		form.n += i == form.n;
	}
}

static void
give(size_t bytes)
{
	char *s = arena_alloc(mem, bytes + 1);

	for (size_t i = 0; i < bytes; i++)
		s[i] = (char)(i * 31 + i / 256);
	form.file = s;
	form.bytes = bytes;
}

static void
put_field(struct buf *b, const struct policy_field *f)
{
	buf_printf(b,
	    "--BOUNDARY\r\nContent-Disposition: form-data; name=\"%s\"\r\n\r\n%s\r\n",
	    f->name, f->value);
}

static void
put_file(struct buf *b)
{
	if (form.file == NULL)
		return;
	buf_printf(b,
	    "--BOUNDARY\r\nContent-Disposition: form-data; name=\"file\"; %s\r\n\r\n",
	    form.file_head);
	buf_put(b, form.file, form.bytes);
	buf_str(b, "\r\n");
}

static struct call
make_call(void)
{
	struct buf b = { .mem = mem };

	if (form.file_first)
		put_file(&b);
	for (size_t i = 0; i < form.n; i++)
		put_field(&b, &form.f[i]);
	if (!form.file_first)
		put_file(&b);
	if (form.tail.name != NULL)
		put_field(&b, &form.tail);
	buf_str(&b, "--BOUNDARY--\r\n");
	return (struct call){
		.vars = { "CONTENT_TYPE", "multipart/form-data; boundary=BOUNDARY",
		    "CONTENT_LENGTH", "given", NULL },
		.body = b.p,
		.body_len = b.len,
	};
}

static struct call
post(void)
{
	struct call c = make_call();

	ask(&c, "POST", "/blobs");
	return c;
}

/* Nothing of it is left, and the form could be used again. */
static void
assert_untouched(void)
{
	ck_assert_int_eq(files(), 0);
	ck_assert_int_eq(stored(), 0);
	ck_assert_int_eq(number(&jobs_all), 0);
	ck_assert_str_eq(row(BLOB).state, "awaiting");
}

static void
assert_refused(int status, const char *code)
{
	struct call c = post();

	ck_assert_int_eq(c.status, status);
	ck_assert_str_eq(xml_of(&c, "Code"), code);
	ck_assert_int_ge((int)strlen(xml_of(&c, "Message")), 5);
	ck_assert_str_eq(xml_of(&c, "RequestId"), header_of(&c, "X-Request-Id"));
	ck_assert_str_eq(header_of(&c, "Access-Control-Allow-Origin"), "*");
	ck_assert_str_eq(header_of(&c, "Cache-Control"), "no-store");
}

static void
assert_taken(void)
{
	struct call c = post();

	ck_assert_int_eq(c.status, 201);
	ck_assert_int_eq(files(), 1);
	ck_assert_int_eq(stored(), (int64_t)form.bytes);
	ck_assert_str_eq(row(BLOB).state, "stored");
}

/* ---- POST /blobs ---- */

START_TEST(a_valid_form_is_taken)
{
	struct call c = post();
	const char *sum = hash_hex(mem, form.file, form.bytes);
	struct blob b = row(BLOB);

	ck_assert_int_eq(c.status, 201);
	ck_assert_str_eq(
	    xml_of(&c, "Location"), "https://speech.example.org/blobs/" BLOB);
	ck_assert_str_eq(xml_of(&c, "Bucket"), "media");
	ck_assert_str_eq(xml_of(&c, "Key"), "u/" ACCOUNT "/" BLOB);
	ck_assert_str_eq(xml_of(&c, "ETag"), arena_printf(mem, "\"%s\"", sum));
	ck_assert_str_eq(header_of(&c, "ETag"), xml_of(&c, "ETag"));
	ck_assert_str_eq(header_of(&c, "Location"), xml_of(&c, "Location"));
	ck_assert_str_eq(header_of(&c, "Access-Control-Allow-Origin"), "*");
	ck_assert_str_eq(b.state, "stored");
	ck_assert_int_eq(b.bytes, MIN);
	ck_assert_str_eq(b.sha256, sum);
	ck_assert_int_eq(strncmp(b.file, BLOB "-", 37), 0);
	ck_assert_int_eq(stored(), MIN);
	ck_assert_int_eq(jobs("blob.check", BLOB), 1);
	ck_assert_int_eq(files(), 1);
}
END_TEST

static const struct {
	size_t bytes;
	const char *code; /* NULL: 201 */
} sizes[] = {
	{ 0, "EntityTooSmall" },
	{ MIN - 1, "EntityTooSmall" },
	{ MIN, NULL },
	{ 65536, NULL },
	{ MAX, NULL },
	{ MAX + 1, "EntityTooLarge" },
	{ 3 * MAX, "EntityTooLarge" },
};

START_TEST(the_sizes_of_the_form)
{
	give(sizes[_i].bytes);
	if (sizes[_i].code == NULL)
		assert_taken();
	else {
		assert_refused(400, sizes[_i].code);
		assert_untouched();
	}
}
END_TEST

START_TEST(a_form_without_a_file_is_too_small)
{
	form.file = NULL;
	assert_refused(400, "EntityTooSmall");
	assert_untouched();
}
END_TEST

static const struct {
	const char *name, *value;
	int status;
	const char *code;
} changes[] = {
	{ "Content-Type", "text/html", 403, "AccessDenied" },
	{ "Content-Type", NULL, 403, "AccessDenied" },
	{ "key", "u/" ACCOUNT "/" SAMPLE, 403, "AccessDenied" },
	{ "key", "../../etc/passwd", 403, "AccessDenied" },
	{ "acl", "public-read", 403, "AccessDenied" },
	{ "x-amz-meta-a", "b", 403, "AccessDenied" },
	{ "bucket", "other", 403, "AccessDenied" },
	{ "success_action_status", "200", 403, "AccessDenied" },
	{ "X-Amz-Date", "20200101T000000Z", 403, "AccessDenied" },
	{ "X-Amz-Signature", "00", 403, "SignatureDoesNotMatch" },
	{ "Policy", "e30=", 403, "SignatureDoesNotMatch" },
	{ "X-Amz-Credential", "XX/20261120/us-east-1/s3/aws4_request", 403,
	    "InvalidAccessKeyId" },
	{ "X-Amz-Signature", NULL, 400, "InvalidArgument" },
	{ "POLICY", "e30=", 400, "InvalidArgument" },
};

START_TEST(a_changed_form_is_refused)
{
	set(changes[_i].name, changes[_i].value);
	assert_refused(changes[_i].status, changes[_i].code);
	assert_untouched();
}
END_TEST

START_TEST(what_a_form_may_have_besides)
{
	set("x-ignore-this", "and that");
	form.file_head = "filename=\"other.exe\"\r\nContent-Type: text/html";
	form.tail = (struct policy_field){ "submit", "Send" };
	assert_taken();
}
END_TEST

START_TEST(names_of_fields_in_any_case)
{
	for (size_t i = 0; i < form.n; i++)
		form.f[i].name = text_lower(mem, form.f[i].name);
	assert_taken();
}
END_TEST

START_TEST(without_any_policy_field)
{
	form.n = 0;
	assert_refused(403, "AccessDenied");
	form.n = 2; /* key and type */
	assert_refused(403, "AccessDenied");
	form.file = NULL;
	form.n = 0;
	assert_refused(403, "AccessDenied");
	assert_untouched();
}
END_TEST

START_TEST(a_file_in_front_of_the_fields)
{
	form.file_first = true;
	assert_refused(400, "InvalidArgument");
	assert_untouched();
}
END_TEST

START_TEST(a_field_behind_the_file_does_not_count)
{
	set("Content-Type", NULL);
	form.tail = (struct policy_field){ "Content-Type", "audio/wav" };
	assert_refused(400, "InvalidArgument");
	assert_untouched();
}
END_TEST

START_TEST(an_expired_form)
{
	grant(BLOB, now_us() - 3601 * S_US);
	assert_refused(403, "AccessDenied");
	grant(BLOB, now_us() - 3590 * S_US);
	assert_taken();
}
END_TEST

static const struct {
	const char *sql;
	int status;
	const char *code;
} meanwhile[] = {
	{ "UPDATE blobs SET state = 'gone'", 403, "AccessDenied" },
	{ "DELETE FROM blobs", 403, "AccessDenied" },
	{ "UPDATE blobs SET account = '" OTHER "'", 403, "AccessDenied" },
	{ "UPDATE blobs SET account = NULL", 403, "AccessDenied" },
	{ "UPDATE accounts SET status = 'suspended'", 403, "AccessDenied" },
	{ "UPDATE blobs SET state = 'checked', file = 'f', bytes = 1, sha256 = 'x'",
	    409, "OperationAborted" },
	{ "UPDATE blobs SET state = 'rejected'", 409, "OperationAborted" },
};

START_TEST(what_happened_meanwhile)
{
	run(meanwhile[_i].sql);
	assert_refused(meanwhile[_i].status, meanwhile[_i].code);
	ck_assert_int_eq(files(), 0);
	ck_assert_int_eq(stored(), 0);
	ck_assert_int_eq(number(&jobs_all), 0);
}
END_TEST

static const char *const odd_types[] = { NULL, "", "application/json",
	"multipart/form-data", "multipart/form-data; boundary=OTHER",
	"multipart/mixed; boundary=BOUNDARY" };

START_TEST(what_is_no_form)
{
	struct call c = make_call();

	c.vars[1] = odd_types[_i];
	ck_assert_int_eq(ask(&c, "POST", "/blobs"), 400);
	ck_assert_str_eq(xml_of(&c, "Code"), "MalformedPOSTRequest");
	assert_untouched();
}
END_TEST

START_TEST(a_cut_connection_leaves_nothing)
{
	size_t all = make_call().body_len;

	for (size_t n = 0; n < all - 2; n += n + 40 < all ? 11 : 1) {
		struct call c = make_call();

		c.body_len = n;
		ask(&c, "POST", "/blobs");
		ck_assert_int_eq(c.status, 400);
		ck_assert_str_eq(xml_of(&c, "Code"), "MalformedPOSTRequest");
		ck_assert_int_eq(files(), 0);
	}
	assert_untouched();
	assert_taken();
}
END_TEST

START_TEST(without_a_length)
{
	struct call c = make_call();

	c.vars[2] = NULL;
	ck_assert_int_eq(ask(&c, "POST", "/blobs"), 411);
	ck_assert_str_eq(xml_of(&c, "Code"), "MissingContentLength");
	c = (struct call){ 0 };
	ck_assert_int_eq(ask(&c, "POST", "/blobs"), 411);
	assert_untouched();
}
END_TEST

START_TEST(too_much_in_front_of_the_file)
{
	for (int i = 0; i < 60; i++)
		set(arena_printf(mem, "x-ignore-%d", i), "");
	assert_refused(400, "MaxPostPreDataLengthExceeded");
	grant(BLOB, now_us());
	set("x-ignore-1", memset(arena_alloc(mem, 140001), 'x', 140000));
	assert_refused(400, "MaxPostPreDataLengthExceeded");
	assert_untouched();
}
END_TEST

START_TEST(the_same_form_again_overwrites)
{
	const char *first;
	struct call c;

	assert_taken();
	first = row(BLOB).file;
	give(500);
	c = post();
	ck_assert_int_eq(c.status, 201);
	ck_assert_str_ne(row(BLOB).file, first);
	ck_assert_int_eq(row(BLOB).bytes, 500);
	ck_assert_int_eq(stored(), 500);
	ck_assert_int_eq(files(), 1);
	ck_assert_int_eq(jobs("blob.check", BLOB), 1);
	run("UPDATE blobs SET state = 'checked' WHERE id = '" BLOB "'");
	assert_refused(409, "OperationAborted");
	ck_assert_int_eq(files(), 1);
	ck_assert_int_eq(stored(), 500);
}
END_TEST

START_TEST(the_capacity_of_the_account)
{
	run("UPDATE accounts SET plan_storage_bytes = 100");
	give(101);
	assert_refused(403, "QuotaExceeded");
	assert_untouched();
	give(60);
	assert_taken();
	give(100); /* replaces the 60 */
	assert_taken();
	give(101);
	assert_refused(403, "QuotaExceeded");
	ck_assert_int_eq(stored(), 100);
	ck_assert_int_eq(files(), 1);
}
END_TEST

START_TEST(the_disk_at_its_reserve)
{
	app.conf.blob_reserve_bytes = INT64_MAX / 2;
	assert_refused(507, "InsufficientStorage");
	assert_untouched();
}
END_TEST

START_TEST(a_disk_that_is_not_there)
{
	app.conf.blob_dir = "/proc/nowhere";
	assert_refused(500, "InternalError");
}
END_TEST

START_TEST(a_busy_database)
{
	struct call c;

	db_fault(app.db, 1, ERR_BUSY);
	c = post();
	ck_assert_int_eq(c.status, 503);
	ck_assert_str_eq(xml_of(&c, "Code"), "SlowDown");
	ck_assert_str_eq(header_of(&c, "Retry-After"), "1");
	assert_untouched();
	app.db = (db_close(app.db), NULL);
	c = post();
	ck_assert_int_eq(c.status, 503);
	ck_assert_str_eq(xml_of(&c, "Code"), "SlowDown");
	ck_assert_int_eq(files(), 0);
}
END_TEST

static const struct {
	const char *condition; /* of the status, or "" */
	const char *status;    /* of the field, or NULL */
	int answer;
} statuses[] = {
	{ ",{\"success_action_status\":\"200\"}", "200", 200 },
	{ ",{\"success_action_status\":\"204\"}", "204", 204 },
	{ "", NULL, 204 },
};

START_TEST(the_status_that_the_policy_binds)
{
	const struct sigv4 v = blob_signer(&app.conf);
	const char *credential = sigv4_credential(mem, &v, "20261120"), *policy;
	struct call c;

	policy = arena_printf(mem,
	    "{\"expiration\":\"2999-01-01T00:00:00Z\",\"conditions\":[{\"key\":\"%s\"},"
	    "{\"X-Amz-Credential\":\"%s\"}%s]}",
	    target_key(mem, ACCOUNT, BLOB), credential, statuses[_i].condition);
	policy = base64(mem, policy, strlen(policy));
	form.n = 0;
	set("key", target_key(mem, ACCOUNT, BLOB));
	set("Policy", policy);
	set("X-Amz-Credential", credential);
	set("X-Amz-Signature", sigv4_sign(mem, &v, "20261120", policy));
	if (statuses[_i].status != NULL)
		set("success_action_status", statuses[_i].status);
	c = post();
	ck_assert_int_eq(c.status, statuses[_i].answer);
	ck_assert_uint_eq(c.out_len, 0);
	ck_assert_ptr_nonnull(header_of(&c, "ETag"));
	ck_assert_ptr_nonnull(header_of(&c, "Location"));
	ck_assert_int_eq(files(), 1);
}
END_TEST

START_TEST(a_key_that_names_no_blob)
{
	const struct upload_want w = { ACCOUNT, "not-a-blob", "i", "audio/wav", MIN,
		MAX };
	struct upload_target t = target_make(mem, &app.conf, &w, now_us());

	for (int i = 0; i < FORM_FIELDS; i++)
		form.f[i].value = t.form[i];
	assert_refused(403, "AccessDenied");
}
END_TEST

START_TEST(a_voices_sample_makes_it_pending)
{
	grant(SAMPLE, now_us());
	ck_assert_int_eq(post().status, 201);
	ck_assert_int_eq(number(&voice_pending), 1);
	ck_assert_int_eq(jobs("voice.clone", VOICE), 1);
	ck_assert_int_eq(number(&jobs_all), 1);
	give(77);
	ck_assert_int_eq(post().status, 201);
	ck_assert_int_eq(row(SAMPLE).bytes, 77);
	ck_assert_int_eq(jobs("voice.clone", VOICE), 1);
	ck_assert_int_eq(files(), 1);
}
END_TEST

/*
 * Let the 1st, 2nd, 3rd ... statement fail until none does.  The answer is S3's
 * error and nothing is half-done, or it is 201.
 */
static void
chaos(const char *blob_id, enum err e, int status)
{
	struct call c = { .status = 0 };
	int n;

	grant(blob_id, now_us());
	for (n = 1; n < 20 && c.status != 201; n++) {
		db_fault(app.db, n, e);
		c = post();
		db_fault(app.db, 0, OK);
		ck_assert(db_idle(app.db));
		ck_assert_int_eq(files(), c.status == 201);
		ck_assert_int_eq(stored(), c.status == 201 ? MIN : 0);
		ck_assert_int_eq(number(&jobs_all), c.status == 201);
		ck_assert_str_eq(
		    row(blob_id).state, c.status == 201 ? "stored" : "awaiting");
		if (c.status != 201) {
			ck_assert_int_eq(c.status, status);
			ck_assert_int_eq(number(&voice_pending), 0);
		}
	}
	ck_assert_int_ge(n, 9);
	ck_assert_int_lt(n, 20);
}

START_TEST(a_failing_database_leaves_no_trace)
{
	const char *const ids[] = { BLOB, SAMPLE };

	chaos(ids[_i % 2], _i < 2 ? ERR_BUSY : ERR_FAILED, _i < 2 ? 503 : 500);
}
END_TEST

/* ---- GET and HEAD /blobs/{blob_id} ---- */

static void
setup_stored(void)
{
	setup_form();
	give(1000);
	ck_assert_int_eq(post().status, 201);
}

static const char *
signed_target(const char *id, int64_t at)
{
	return link_make(&app.conf, mem, id, at) + strlen(app.conf.server_base_url);
}

static struct call
get(const char *target)
{
	struct call c = { .status = 0 };

	ask(&c, "GET", target);
	return c;
}

static struct call
as_client(const char *id, const char *method, const char *target)
{
	struct call c = { .vars = { "HTTP_CLIENTID", id, "HTTP_CLIENTSECRET", id } };

	ask(&c, method, target);
	return c;
}

/* With one more header. */
static struct call
get_with(const char *name, const char *value)
{
	struct call c = { .vars = { name, value } };

	ask(&c, "GET", signed_target(BLOB, now_us()));
	return c;
}

static const char *
problem_of(const struct call *c)
{
	const char *why;
	const struct json *v =
	    json_get(json_read(mem, c->out, c->out_len, &why), "errors");

	ck_assert_ptr_nonnull(v);
	return json_get_text(v->kids, "type") +
	       strlen("https://speech.example.org/problems/");
}

START_TEST(a_signed_link_reads)
{
	struct call c = get(signed_target(BLOB, now_us()));

	ck_assert_int_eq(c.status, 200);
	ck_assert_uint_eq(c.out_len, 1000);
	ck_assert_mem_eq(c.out, form.file, 1000);
	ck_assert_str_eq(header_of(&c, "Content-Type"), "audio/wav");
	ck_assert_str_eq(header_of(&c, "Content-Disposition"), "attachment");
	ck_assert_str_eq(header_of(&c, "Content-Security-Policy"), "sandbox");
	ck_assert_str_eq(header_of(&c, "X-Content-Type-Options"), "nosniff");
	ck_assert_str_eq(header_of(&c, "Accept-Ranges"), "bytes");
	ck_assert_str_eq(header_of(&c, "ETag"),
	    arena_printf(mem, "\"%s\"", hash_hex(mem, form.file, 1000)));
	ck_assert_int_eq(
	    strncmp(header_of(&c, "Cache-Control"), "private, max-age=3", 18), 0);
	c = get(signed_target(BLOB, now_us() - 3500 * S_US));
	ck_assert_int_eq(
	    strncmp(header_of(&c, "Cache-Control"), "private, max-age=", 17), 0);
	ck_assert_int_le(atoi(header_of(&c, "Cache-Control") + 17), 100);
}
END_TEST

START_TEST(a_head_is_a_get_without_the_body)
{
	struct call c = { .vars = { "HTTP_RANGE", "bytes=0-1" } };

	ck_assert_int_eq(ask(&c, "HEAD", signed_target(BLOB, now_us())), 200);
	ck_assert_uint_eq(c.out_len, 1000); /* dropped when it is sent */
	ck_assert_ptr_nonnull(header_of(&c, "ETag"));
}
END_TEST

START_TEST(a_wrong_link_is_refused)
{
	const char *good = signed_target(BLOB, now_us());
	const char *absent = signed_target(VOICE, now_us());
	const char *const bad[] = {
		arena_printf(mem, "%sx", good),
		arena_dup(mem, good, strlen(good) - 1),
		arena_printf(mem, "/blobs/" SAMPLE "%s", strchr(good, '?')),
		"/blobs/" BLOB "?expires=9999999999&signature=AAAA",
		"/blobs/" BLOB "?expires=9999999999",
		"/blobs/" BLOB "?signature=AAAA",
		"/blobs/" BLOB "?expires=&signature=",
		"/blobs/" BLOB "?expires=",
		"/blobs/" VOICE "?expires=9999999999&signature=AAAA",
		signed_target(BLOB, now_us() - 3600 * S_US),
		signed_target(VOICE, now_us() - 3600 * S_US),
	};

	for (size_t i = 0; i < sizeof(bad) / sizeof(bad[0]); i++) {
		struct call c = get(bad[i]);

		ck_assert_int_eq(c.status, 403);
		ck_assert_str_eq(problem_of(&c), "link-invalid");
	}
	ck_assert_int_eq(get(absent).status, 404);
	ck_assert_int_eq(get(arena_printf(mem, "%s&expires=1", good)).status, 422);
	ck_assert_int_eq(get("/blobs/no-id").status, 404);
	ck_assert_int_eq(get("/blobs").status, 405);
}
END_TEST

static const struct {
	const char *sql;
	int status;
} states[] = {
	{ "UPDATE blobs SET state = 'checked'", 200 },
	{ "UPDATE blobs SET state = 'rejected'", 404 },
	{ "UPDATE blobs SET state = 'awaiting', file = NULL", 404 },
	{ "UPDATE blobs SET state = 'gone'", 404 },
};

START_TEST(what_state_it_is_in)
{
	run(states[_i].sql);
	ck_assert_int_eq(get(signed_target(BLOB, now_us())).status, states[_i].status);
	ck_assert_int_eq(
	    as_client(CLIENT, "GET", "/blobs/" BLOB).status, states[_i].status);
}
END_TEST

START_TEST(the_owner_reads_with_a_credential)
{
	struct call c = as_client(CLIENT, "GET", "/blobs/" BLOB);

	ck_assert_int_eq(c.status, 200);
	ck_assert_uint_eq(c.out_len, 1000);
	ck_assert_str_eq(header_of(&c, "Cache-Control"), "private, max-age=0");
	c = get("/blobs/" BLOB);
	ck_assert_int_eq(c.status, 401);
	ck_assert_str_eq(problem_of(&c), "unauthorized");
	ck_assert_int_eq(as_client(OTHER, "GET", "/blobs/" BLOB).status, 401);
	ck_assert_int_eq(as_client(CLIENT, "GET", "/blobs/" SAMPLE).status, 404);
	ck_assert_int_eq(as_client(CLIENT, "GET", "/blobs/" VOICE).status, 404);
	add_client(VOICE, OTHER, "uploads:write");
	ck_assert_int_eq(as_client(VOICE, "GET", "/blobs/" BLOB).status, 404);
	add_client(SAMPLE, ACCOUNT, "voices:write");
	c = as_client(SAMPLE, "GET", "/blobs/" BLOB);
	ck_assert_int_eq(c.status, 403);
	ck_assert_str_eq(problem_of(&c), "insufficient-scope");
}
END_TEST

START_TEST(who_has_it_already_gets_no_bytes)
{
	const char *etag = arena_printf(mem, "\"%s\"", hash_hex(mem, form.file, 1000));
	const char *const same[] = { etag, "*", arena_printf(mem, "W/%s", etag),
		arena_printf(mem, "\"x\", %s", etag) };
	struct call c;

	for (int i = 0; i < 4; i++) {
		c = get_with("HTTP_IF_NONE_MATCH", same[i]);
		ck_assert_int_eq(c.status, 304);
		ck_assert_uint_eq(c.out_len, 0);
		ck_assert_str_eq(header_of(&c, "ETag"), etag);
		ck_assert_ptr_nonnull(strstr(c.head, "private, max-age="));
	}
	ck_assert_int_eq(get_with("HTTP_IF_NONE_MATCH", "\"x\"").status, 200);
}
END_TEST

static const struct {
	const char *range;
	int status;
	int first, last;
} ranges[] = {
	{ "bytes=0-0", 206, 0, 0 },
	{ "bytes=0-499", 206, 0, 499 },
	{ "bytes=500-", 206, 500, 999 },
	{ "bytes=999-", 206, 999, 999 },
	{ "bytes=990-5000", 206, 990, 999 },
	{ "Bytes=1-99999999999999999999999", 206, 1, 999 },
	{ "bytes=-1", 206, 999, 999 },
	{ "bytes=-999", 206, 1, 999 },
	{ "bytes=0-999", 200, 0, 999 },
	{ "bytes=0-", 200, 0, 999 },
	{ "bytes=-1000", 200, 0, 999 },
	{ "bytes=-5000", 200, 0, 999 },
	{ "bytes=0-1,5-6", 200, 0, 999 },
	{ "items=0-1", 200, 0, 999 },
	{ "bytes=1000-", 416, 0, 0 },
	{ "bytes=1000-2000", 416, 0, 0 },
	{ "bytes=99999999999999999999999-", 416, 0, 0 },
	{ "bytes=-0", 416, 0, 0 },
	{ "bytes=-", 416, 0, 0 },
	{ "bytes=", 416, 0, 0 },
	{ "bytes=5-2", 416, 0, 0 },
	{ "bytes=a-b", 416, 0, 0 },
	{ "bytes=1-2x", 416, 0, 0 },
	{ "bytes=1--2", 416, 0, 0 },
};

START_TEST(a_range)
{
	struct call c = get_with("HTTP_RANGE", ranges[_i].range);
	int first = ranges[_i].first, last = ranges[_i].last;

	ck_assert_int_eq(c.status, ranges[_i].status);
	if (c.status == 416) {
		ck_assert_str_eq(header_of(&c, "Content-Range"), "bytes */1000");
		ck_assert_str_eq(problem_of(&c), "range-not-satisfiable");
		return;
	}
	ck_assert_uint_eq(c.out_len, (size_t)(last - first + 1));
	ck_assert_mem_eq(c.out, form.file + first, c.out_len);
	ck_assert_pstr_eq(header_of(&c, "Content-Range"),
	    c.status == 200 ? NULL
			    : arena_printf(mem, "bytes %d-%d/1000", first, last));
}
END_TEST

START_TEST(a_range_of_what_has_changed_is_all_of_it)
{
	struct call c = { .vars = {
			      "HTTP_RANGE", "bytes=0-1", "HTTP_IF_RANGE", "\"x\"" } };

	ck_assert_int_eq(ask(&c, "GET", signed_target(BLOB, now_us())), 200);
	c = (struct call){ .vars = { "HTTP_RANGE", "bytes=0-1", "HTTP_IF_RANGE",
			       arena_printf(mem, "\"%s\"", row(BLOB).sha256) } };
	ck_assert_int_eq(ask(&c, "GET", signed_target(BLOB, now_us())), 206);
}
END_TEST

START_TEST(no_bytes_have_no_range)
{
	int64_t first, last;

	ck_assert(range_read(NULL, 0, &first, &last));
	ck_assert_int_eq(last - first + 1, 0);
	ck_assert(!range_read("bytes=0-", 0, &first, &last));
	ck_assert(!range_read("bytes=-1", 0, &first, &last));
}
END_TEST

START_TEST(a_file_that_is_not_there_is_our_fault)
{
	struct blob b = row(BLOB);
	struct call c;

	ck_assert_int_eq(blob_remove(&app.conf, mem, b.file), OK);
	c = get(signed_target(BLOB, now_us()));
	ck_assert_int_eq(c.status, 500);
	ck_assert_str_eq(header_of(&c, "Cache-Control"), "no-store");
}
END_TEST

START_TEST(a_file_replaced_while_it_is_opened)
{
	struct request rq = { .mem = mem, .conf = &app.conf, .db = app.db };
	struct blob before = row(BLOB);
	struct blob_file f;

	give(500);
	ck_assert_int_eq(post().status, 201);
	ck_assert_int_eq(open_file(&rq, &before, &f), OK);
	ck_assert_int_eq(f.bytes, 500);
	ck_assert_str_eq(before.sha256, row(BLOB).sha256);
	close(f.fd);
}
END_TEST

START_TEST(a_bucket_is_where_to_go)
{
	struct call c;

	app.conf.blob_store = "s3";
	c = get(signed_target(BLOB, now_us() - 3500 * S_US));
	ck_assert_int_eq(c.status, 307);
	ck_assert_int_eq(strncmp(header_of(&c, "Location"),
			     "https://media.s3.example.org/" BLOB "-", 66),
	    0);
	ck_assert_ptr_nonnull(strstr(header_of(&c, "Location"), "X-Amz-Expires="));
	ck_assert_ptr_nonnull(strstr(
	    header_of(&c, "Location"), "response-content-disposition=attachment"));
	ck_assert_int_eq(as_client(CLIENT, "GET", "/blobs/" BLOB).status, 307);
}
END_TEST

START_TEST(reading_from_a_failing_database)
{
	const enum err errs[] = { ERR_BUSY, ERR_FAILED };

	db_fault(app.db, 1, errs[_i]);
	ck_assert_int_eq(
	    get(signed_target(BLOB, now_us())).status, _i == 0 ? 503 : 500);
}
END_TEST

/* ---- DELETE /blobs/{blob_id} ---- */

START_TEST(an_upload_is_deleted_by_its_owner)
{
	struct call c = as_client(CLIENT, "DELETE", "/blobs/" BLOB);

	ck_assert_int_eq(c.status, 200);
	ck_assert_str_eq(c.out, "{\"ok\":true,\"data\":null}");
	ck_assert_int_eq(stored(), 0);
	ck_assert_int_eq(get(signed_target(BLOB, now_us())).status, 404);
	ck_assert_int_eq(as_client(CLIENT, "DELETE", "/blobs/" BLOB).status, 404);
	assert_refused(403, "AccessDenied"); /* the form is of no use any more */
}
END_TEST

START_TEST(what_cannot_be_deleted)
{
	struct call c;

	c = (struct call){ .status = 0 };
	ck_assert_int_eq(ask(&c, "DELETE", signed_target(BLOB, now_us())), 401);
	add_client(VOICE, OTHER, "uploads:write");
	ck_assert_int_eq(as_client(VOICE, "DELETE", "/blobs/" BLOB).status, 404);
	ck_assert_int_eq(as_client(CLIENT, "DELETE", "/blobs/" SAMPLE).status, 404);
	ck_assert_int_eq(as_client(CLIENT, "DELETE", "/blobs/" VOICE).status, 404);
	grant(SAMPLE, now_us());
	ck_assert_int_eq(post().status, 201);
	c = as_client(CLIENT, "DELETE", "/blobs/" SAMPLE);
	ck_assert_int_eq(c.status, 409);
	ck_assert_str_eq(problem_of(&c), "blob-in-use");
	ck_assert_int_eq(stored(), 1000 + MIN);
}
END_TEST

START_TEST(deleting_in_a_failing_database)
{
	int n, status = 0;

	for (n = 1; n < 20 && status != 200; n++) {
		db_fault(app.db, n, ERR_BUSY);
		status = as_client(CLIENT, "DELETE", "/blobs/" BLOB).status;
		db_fault(app.db, 0, OK);
		ck_assert(status == 200 || status == 503);
		ck_assert_int_eq(stored(), status == 200 ? 0 : 1000);
	}
	ck_assert_int_ge(n, 6);
}
END_TEST

#define COUNT(a) ((int)(sizeof(a) / sizeof((a)[0])))

static TCase *
posting(void)
{
	TCase *t = tcase_create("POST");

	tcase_add_checked_fixture(t, setup_form, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_valid_form_is_taken);
	tcase_add_loop_test(t, the_sizes_of_the_form, 0, COUNT(sizes));
	tcase_add_test(t, a_form_without_a_file_is_too_small);
	tcase_add_loop_test(t, a_changed_form_is_refused, 0, COUNT(changes));
	tcase_add_test(t, what_a_form_may_have_besides);
	tcase_add_test(t, names_of_fields_in_any_case);
	tcase_add_test(t, without_any_policy_field);
	tcase_add_test(t, a_file_in_front_of_the_fields);
	tcase_add_test(t, a_field_behind_the_file_does_not_count);
	tcase_add_test(t, an_expired_form);
	tcase_add_loop_test(t, what_happened_meanwhile, 0, COUNT(meanwhile));
	tcase_add_loop_test(t, what_is_no_form, 0, COUNT(odd_types));
	tcase_add_test(t, a_cut_connection_leaves_nothing);
	tcase_add_test(t, without_a_length);
	tcase_add_test(t, too_much_in_front_of_the_file);
	tcase_add_test(t, the_same_form_again_overwrites);
	tcase_add_test(t, the_capacity_of_the_account);
	tcase_add_test(t, the_disk_at_its_reserve);
	tcase_add_test(t, a_disk_that_is_not_there);
	tcase_add_test(t, a_busy_database);
	tcase_add_loop_test(t, the_status_that_the_policy_binds, 0, COUNT(statuses));
	tcase_add_test(t, a_key_that_names_no_blob);
	tcase_add_test(t, a_voices_sample_makes_it_pending);
	tcase_add_loop_test(t, a_failing_database_leaves_no_trace, 0, 4);
	return t;
}

static TCase *
reading(void)
{
	TCase *t = tcase_create("GET and DELETE");

	tcase_add_checked_fixture(t, setup_stored, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, a_signed_link_reads);
	tcase_add_test(t, a_head_is_a_get_without_the_body);
	tcase_add_test(t, a_wrong_link_is_refused);
	tcase_add_loop_test(t, what_state_it_is_in, 0, COUNT(states));
	tcase_add_test(t, the_owner_reads_with_a_credential);
	tcase_add_test(t, who_has_it_already_gets_no_bytes);
	tcase_add_loop_test(t, a_range, 0, COUNT(ranges));
	tcase_add_test(t, a_range_of_what_has_changed_is_all_of_it);
	tcase_add_test(t, no_bytes_have_no_range);
	tcase_add_test(t, a_file_that_is_not_there_is_our_fault);
	tcase_add_test(t, a_file_replaced_while_it_is_opened);
	tcase_add_test(t, a_bucket_is_where_to_go);
	tcase_add_loop_test(t, reading_from_a_failing_database, 0, 2);
	tcase_add_test(t, an_upload_is_deleted_by_its_owner);
	tcase_add_test(t, what_cannot_be_deleted);
	tcase_add_test(t, deleting_in_a_failing_database);
	return t;
}

int
main(void)
{
	Suite *s = suite_create("blobs");
	SRunner *r = srunner_create(s);
	int failed;

	suite_add_tcase(s, posting());
	suite_add_tcase(s, reading());
	srunner_run_all(r, CK_NORMAL);
	failed = srunner_ntests_failed(r);
	srunner_free(r);
	return failed != 0;
}
