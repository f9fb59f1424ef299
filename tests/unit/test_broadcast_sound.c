/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * Sound to and from rooms with the driver of Janus: its addresses, the owner of each
 * object, and the state after the n-th request failed.
 */
#include "tests/unit/cutting_proxy.h"
#include "tests/unit/shared_janus.h"

#include "broadcast/janus_object.h"

#define OLD_MS 300 /* a packet older than this does not count */

/* The name of a session's room. */
static const char *
room_name(void)
{
	return arena_dup(mem, id_new(mem), 8);
}

static struct broadcast_sound
sound_of(const char *name, const char *languages)
{
	return (struct broadcast_sound){ .name = name,
		.ours = true,
		.languages = texts_read(mem, languages),
		.host = "127.0.0.1",
		.port = 21200,
		.ssrc = 4000000000 };
}

static enum err
attach(struct broadcast_sound *s)
{
	return driver->attach(&conf, mem, s);
}

/* The forwards of a room: "PORT SSRC\n"... */
static const char *
forwards(const char *room)
{
	const struct json *a = janus_told("audiobridge",
	    arena_printf(mem,
		"\"request\":\"listforwarders\",\"room\":\"%s\",\"secret\":\"%s\"",
		room, janus_secret(&conf, mem, room)));
	struct buf b = { .mem = mem };

	for (const struct json *v = json_get(a, "rtp_forwarders")->kids; v != NULL;
	     v = v->next) {
		ck_assert_str_eq(json_get_text(v, "ip"), "127.0.0.1");
		ck_assert_str_eq(json_get_text(v, "codec"), "opus");
		ck_assert_int_eq(json_get(v, "ptype")->u.i, 111);
		ck_assert(!json_get(v, "always_on")->u.b);
		buf_printf(&b, "%d %lld\n", (int)json_get(v, "port")->u.i,
		    (long long)json_get(v, "ssrc")->u.i);
	}
	return buf_text(&b);
}

START_TEST(a_sessions_room_is_made_with_all_that_belongs_to_it)
{
	const char *name = room_name();
	struct broadcast_sound s = sound_of(name, "[\"es\",\"fr\"]"), again = s;

	ck_assert_int_eq(attach(&s), OK);
	lists(line(name, "es fr"));
	ck_assert_str_eq(forwards(name), "21200 4000000000\n");
	ck_assert_str_eq(s.to_host, "127.0.0.1");
	ck_assert_int_ge(s.to_ports[0], 20000);
	ck_assert_int_ge(s.to_ports[1], 20000);
	ck_assert_int_ne(s.to_ports[0], s.to_ports[1]);
	ck_assert_int_eq(attach(&again), OK);
	ck_assert_str_eq(forwards(name), "21200 4000000000\n");
	ck_assert_int_eq(again.to_ports[0], s.to_ports[0]);
	ck_assert_int_eq(again.to_ports[1], s.to_ports[1]);
}
END_TEST

START_TEST(it_is_forwarded_to_the_last_that_asked)
{
	const char *name = room_name();
	struct broadcast_sound s = sound_of(name, "[]");

	ck_assert_int_eq(attach(&s), OK);
	s.ssrc = 1;
	ck_assert_int_eq(attach(&s), OK);
	ck_assert_str_eq(forwards(name), "21200 1\n");
	s.port = 21201;
	ck_assert_int_eq(attach(&s), OK);
	ck_assert_str_eq(forwards(name), "21201 1\n");
}
END_TEST

START_TEST(its_languages_follow_the_task)
{
	const char *name = room_name();
	struct broadcast_sound s = sound_of(name, "[\"es\",\"fr\"]"), other;

	ck_assert_int_eq(attach(&s), OK);
	other = sound_of(name, "[\"de\",\"fr\"]");
	ck_assert_int_eq(attach(&other), OK);
	lists(line(name, "de fr"));
	ck_assert_int_eq(other.to_ports[1], s.to_ports[1]);
	ck_assert_str_eq(forwards(name), "21200 4000000000\n");
}
END_TEST

/* Sends a packet there and reads its age; false: no recent packet has arrived. */
static bool
packet_arrives(int port, const char *info)
{
	static const char packet[] = "\x80\x6f\0\1\0\0\0\0\0\0\0\1\xf8\xff\xfe";
	struct sockaddr_in to = { .sin_family = AF_INET,
		.sin_port = htons((uint16_t)port),
		.sin_addr = { htonl(INADDR_LOOPBACK) } };
	int fd = socket(AF_INET, SOCK_DGRAM | SOCK_CLOEXEC, 0);
	const struct json *media;

	ck_assert_int_eq(sendto(fd, packet, sizeof(packet) - 1, 0,
			     (struct sockaddr *)&to, sizeof(to)),
	    sizeof(packet) - 1);
	close(fd);
	proxy_wait(50);
	media = json_get(json_get(janus_told("streaming", info), "info"), "media");
	return json_get(media->kids, "age_ms")->u.i < OLD_MS;
}

/*
 * The first packet seems late, because its time counts from the creation of the
 * mountpoint.
 */
START_TEST(what_a_mountpoint_is_sent_arrives)
{
	const char *name = room_name(), *info;
	struct broadcast_sound s = sound_of(name, "[\"es\"]");
	bool arrives = false;

	ck_assert_int_eq(attach(&s), OK);
	proxy_wait(OLD_MS);
	info = arena_printf(mem, "\"request\":\"info\",\"id\":\"%s-es\"", name);
	for (int i = 0; i < 50 && !arrives; i++)
		arrives = packet_arrives(s.to_ports[0], info);
	ck_assert(arrives);
}
END_TEST

/* The channel's worker creates and removes the room; listeners do not change it. */
START_TEST(a_channels_room_is_not_made_here)
{
	const char *name = new_name();
	struct broadcast_sound s = sound_of(name, "[\"es\",\"it\"]");

	s.ours = false;
	ck_assert_int_eq(attach(&s), ERR_NOT_FOUND);
	lists("");
	ck_assert_int_eq(create(name, "[\"es\",\"fr\"]"), OK);
	ck_assert_int_eq(attach(&s), OK);
	lists(line(name, "es fr"));
	ck_assert_str_eq(forwards(name), "21200 4000000000\n");
	ck_assert_int_ge(s.to_ports[0], 20000);
	ck_assert_int_eq(s.to_ports[1], 0);
}
END_TEST

START_TEST(a_room_of_another_installation_is_not_heard)
{
	const char *name = room_name();
	struct broadcast_sound s = sound_of(name, "[\"es\"]");
	const struct conf ours = conf;

	ck_assert_int_eq(attach(&s), OK);
	random_bytes(conf.master, sizeof(conf.master));
	s.ssrc = 1;
	ck_assert_int_eq(attach(&s), ERR_REFUSED);
	s.ours = false;
	ck_assert_int_eq(attach(&s), ERR_REFUSED);
	conf = ours;
	ck_assert_str_eq(forwards(name), "21200 4000000000\n");
}
END_TEST

/* Listeners do not get the secrets for speaking. */
START_TEST(a_client_is_told_room_and_mountpoints)
{
	bool speaks = _i == 1;
	const char *name = room_name(), *text, *why;
	const struct list languages = texts_read(mem, "[\"es\",\"pt-br\"]");
	struct buf b = { .mem = mem };
	struct json_writer j = { .out = &b };
	const struct json *told, *points;

	jw_open(&j, NULL);
	driver->invite(&conf, mem, name, &languages, speaks, &j);
	jw_close(&j);
	text = buf_text(&b);
	told = json_read(mem, text, strlen(text), &why);
	ck_assert_str_eq(json_get_text(told, "backend"), "janus");
	ck_assert_str_eq(json_get_text(told, "url"), conf.janus_public_url);
	ck_assert_int_eq(told->n, speaks ? 5 : 3);
	if (speaks) {
		ck_assert_str_eq(json_get_text(told, "room"), name);
		ck_assert_str_eq(
		    json_get_text(told, "pin"), janus_pin(&conf, mem, name));
	}
	points = json_get(told, "mountpoints");
	ck_assert_int_eq(points->n, 2);
	points = json_get(points, "pt-br");
	ck_assert_str_eq(
	    json_get_text(points, "id"), arena_printf(mem, "%s-pt-br", name));
	ck_assert_str_eq(json_get_text(points, "pin"),
	    janus_pin(&conf, mem, arena_printf(mem, "%s-pt-br", name)));
}
END_TEST

/* clang-format off */
static const struct { const char *url, *host; } hosts[] = {
	{ "http://127.0.0.1:7088/admin",            "127.0.0.1" },
	{ "http://localhost:7088/admin",            "127.0.0.1" },
	{ "http://[::1]:7088/admin",                "127.0.0.1" },
	{ "https://janus.example.org/admin",        "janus.example.org" },
	{ "https://me:127.0.0.1@janus.example.org", "janus.example.org" },
	{ "http://[2001:db8::1]:7088/admin",        "2001:db8::1" },
	{ "http://127.example.org:7088",            "127.example.org" },
	{ "http://10.0.0.7:7088/admin",             "10.0.0.7" },
};
/* clang-format on */

START_TEST(janus_is_where_its_admin_api_is)
{
	struct janus at;

	conf.janus_admin_url = hosts[_i].url;
	at = janus_start(&conf, mem);
	ck_assert_str_eq(janus_host(&at), hosts[_i].host);
	conf = shared_conf;
}
END_TEST

/* ---- faults ---- */

static void
forget(void)
{
	backend->stop();
	arena_free(mem);
}

static void
begin(void)
{
	mem = arena_new();
	conf = blank_conf();
	driver = &broadcast_janus;
	backend = &janus_fixture;
	backend->start(&conf);
}

/* True if the fault at request n occurred. */
static bool
attach_broken(int n, enum cut how, struct broadcast_sound *s)
{
	struct proxy p = proxy_start(n, how, 0);
	enum err e = attach(s);
	bool failed = proxy_stop(&p) > n;

	if (failed && (how == CUT_KILL_BEFORE || how == CUT_KILL_AFTER))
		backend->start(&conf);
	ck_assert_msg(e == (failed ? ERR_TIMEOUT : OK), "fault at request %d: %s", n,
	    err_name(e));
	return failed;
}

START_TEST(a_broken_attachment_is_completed)
{
	bool failed = true;

	for (int n = 0; failed; n++) {
		const char *name = room_name();
		struct broadcast_sound s = sound_of(name, "[\"es\",\"fr\"]");

		failed = attach_broken(n, (enum cut)_i, &s);
		s = sound_of(name, "[\"es\",\"de\"]");
		ck_assert_int_eq(attach(&s), OK);
		lists(line(name, "de es"));
		ck_assert_str_eq(forwards(name), "21200 4000000000\n");
		ck_assert_int_ge(s.to_ports[1], 20000);
		ck_assert_int_eq(destroy(name), OK);
		lists("");
	}
}
END_TEST

START_TEST(a_broken_attachment_is_removed)
{
	bool failed = true;

	for (int n = 0; failed; n++) {
		const char *name = room_name();
		struct broadcast_sound s = sound_of(name, "[\"es\",\"fr\"]");

		failed = attach_broken(n, (enum cut)_i, &s);
		ck_assert_int_eq(destroy(name), OK);
		lists("");
		ck_assert_str_eq(backend->names(), "");
	}
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("broadcast sound");
	TCase *t = tcase_create("sound"), *f = tcase_create("faults");

	tcase_set_timeout(t, 120);
	tcase_add_unchecked_fixture(t, open_fixture, janus_stop);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, a_sessions_room_is_made_with_all_that_belongs_to_it);
	tcase_add_test(t, it_is_forwarded_to_the_last_that_asked);
	tcase_add_test(t, its_languages_follow_the_task);
	tcase_add_test(t, what_a_mountpoint_is_sent_arrives);
	tcase_add_test(t, a_channels_room_is_not_made_here);
	tcase_add_test(t, a_room_of_another_installation_is_not_heard);
	tcase_add_loop_test(t, a_client_is_told_room_and_mountpoints, 0, 2);
	tcase_add_loop_test(t, janus_is_where_its_admin_api_is, 0, COUNT(hosts));
	suite_add_tcase(s, t);
	tcase_set_timeout(f, 300); /* a dozen requests to Janus, one after another */
	tcase_add_checked_fixture(f, begin, forget);
	tcase_add_loop_test(f, a_broken_attachment_is_completed, 0, CUT_KINDS);
	tcase_add_loop_test(f, a_broken_attachment_is_removed, 0, CUT_ALIVE_KINDS);
	suite_add_tcase(s, f);
	return unit_run(s);
}
