/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Access to GET /metrics. */
#define UNIT_TEST
#include "cgi-bin/system.c"
#include "tests/unit/unit.h"
#include "web/metrics.h"

#define TOKEN "dgo_0123456789abcdef"

static struct {
	const char *name, *value;
} sent;

static const char *
param_sent(const struct request *rq, const char *name)
{
	(void)rq;
	return sent.name != NULL && strcmp(sent.name, name) == 0 ? sent.value : NULL;
}

#define NOTHING NULL, NULL
#define BEARER(t) "HTTP_AUTHORIZATION", "Bearer " t

static const struct {
	const char *peer, *token;
	bool loopback;
	const char *name, *value; /* header of the request */
	bool may;
} visits[] = {
	{ "127.0.0.1", "", true, NOTHING, true },
	{ "::1", "", true, NOTHING, true },
	{ "127.0.0.1", TOKEN, true, NOTHING, true },
	{ "192.0.2.7", "", true, NOTHING, false },
	{ "127.0.0.1", "", true, "HTTP_X_FORWARDED_FOR", "192.0.2.7", false },
	{ "127.0.0.1", "", true, "HTTP_FORWARDED", "for=192.0.2.7", false },
	/*
	 * Requests through a proxy on this host are refused when the client's address
	 * is unknown.
	 */
	{ "127.0.0.1", TOKEN, false, NOTHING, false },
	{ "127.0.0.1", "", false, NOTHING, false },
	{ "127.0.0.1", TOKEN, false, BEARER(TOKEN), true },
	{ "192.0.2.7", TOKEN, true, BEARER(TOKEN), true },
	{ "192.0.2.7", TOKEN, true, BEARER(TOKEN "0"), false },
	{ "192.0.2.7", TOKEN, true, BEARER("dgo_0123456789abcdee"), false },
	{ "192.0.2.7", "", true, BEARER(""), false },
	/* Requests that come through .htaccess. */
	{ "192.0.2.7", TOKEN, true, "REDIRECT_HTTP_AUTHORIZATION", "Bearer " TOKEN,
	    true },
	{ "127.0.0.1", TOKEN, true, "REDIRECT_HTTP_AUTHORIZATION", "Bearer dgm_x",
	    false },
};

START_TEST(metrics_are_for_the_operator)
{
	struct conf conf = { .operator_token = visits[_i].token,
		.operator_loopback = visits[_i].loopback };
	struct request rq = {
		.conf = &conf, .peer = visits[_i].peer, .param = param_sent
	};

	sent.name = visits[_i].name;
	sent.value = visits[_i].value;
	ck_assert_int_eq(is_operator(&rq), visits[_i].may);
}
END_TEST

START_TEST(closes_of_sockets_are_counted)
{
	static const char replaced[] = "dragoman_sockets_closed_total{kind=\"s2s\","
				       "code=\"1008\",reason=\"replaced\"} 2\n";
	static const struct sql *const prepared[] = { account_sql, NULL };
	struct metrics *m;
	struct buf b;
	int n = 0;

	fixture_open("system", system_routes, prepared);
	m = fixture.app.metrics;
	b = (struct buf){ .mem = fixture.mem };
	metrics_closed(NULL, "s2s", 1008, "replaced");
	for (int i = 0; i < 2; i++)
		metrics_closed(m, "s2s", 1008, "replaced");
	metrics_closed(m, "stt", 1008, "replaced");
	for (int i = 0; i < 200; i++)
		metrics_closed(m, "s2s", i, "too many different ones");
	metrics_hls(m, 9, 1);
	metrics_hls(m, 7, 3);
	metrics_write(&b, fixture.app.conf.state_dir);
	ck_assert_ptr_nonnull(strstr(buf_text(&b), replaced));
	ck_assert_ptr_nonnull(strstr(b.p, "\ndragoman_hls_requests_held 7\n"));
	ck_assert_ptr_nonnull(strstr(b.p, "\ndragoman_hls_requests_refused_total 4\n"));
	for (const char *s = b.p; (s = strstr(s, "sockets_closed_total{")); s++)
		n++;
	ck_assert_int_eq(n, 96);
	fixture_close();
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("metrics");
	TCase *t = tcase_create("all");

	(void)fixture;
	tcase_add_loop_test(t, metrics_are_for_the_operator, 0, COUNT(visits));
	tcase_add_test(t, closes_of_sockets_are_counted);
	suite_add_tcase(s, t);
	return unit_run(s);
}
