/* SPDX-License-Identifier: GPL-3.0-or-later */
/* Nodes that talk by a real nats-server. */
#include "base/clock.h"
#include "cluster/cluster.h"
#include "tests/unit/nats_fixture.h"
#include "tests/unit/unit_files.h"

/* A node: its connection, and the messages that its event loop got. */
struct node {
	struct cluster *cluster;
	struct mailbox *box;
	int changes;       /* calls of `changed` */
	int n, unanswered; /* messages received; questions without an answer */
	char last[256];    /* "subject: bytes" */
	size_t last_bytes;
	bool answers;
};

static struct node a, b;
static struct node *running;

static void
wake(void *arg)
{
	(void)arg;
}

static void
count_change(struct gateway *g, struct thread_call *call)
{
	(void)g;
	running->changes++;
	arena_free(call->message.mem);
}

static void
receive(struct gateway *g, struct thread_call *call)
{
	struct cluster_message *m = (struct cluster_message *)call;
	struct node *node = m->arg;

	(void)g;
	ck_assert_ptr_eq(node, running);
	node->last_bytes = m->n;
	snprintf(node->last, sizeof(node->last), "%s: %.*s", m->subject,
	    (int)(m->n < 99 ? m->n : 99), (const char *)m->bytes);
	if (m->bytes == NULL)
		node->unanswered++;
	else
		node->n++;
	if (node->answers && m->reply != NULL)
		cluster_answer(node->cluster, m->reply, "yes", 3);
	arena_free(call->message.mem);
}

/* Runs the messages of a node's event loop. */
static void
turn(struct node *node)
{
	struct actor_message *next;

	running = node;
	for (struct actor_message *l = mailbox_drain(node->box); l != NULL; l = next) {
		struct thread_call *call = (struct thread_call *)l;

		next = l->next;
		call->run(NULL, call);
	}
	usleep(1000);
}

static void
open_node(struct node *node, const struct conf *conf)
{
	*node = (struct node){ .box = mailbox_new(nats.mem, wake, NULL) };
	node->cluster = cluster_open(conf, node->box, count_change);
}

static void
close_node(struct node *node)
{
	if (node->cluster != NULL)
		cluster_close(node->cluster);
	node->cluster = NULL;
}

static void
await_connection(struct node *node)
{
	await(cluster_is_connected(node->cluster));
}

/* Publishes numbers until one arrives; NATS reports no subscription. */
static void
await_path(struct node *from, const char *subject, struct node *to)
{
	int was = to->n;

	await_by(
	    (cluster_publish(from->cluster, subject, "?", 1), turn(to)), to->n > was);
	usleep(20000);
	turn(to);
}

static struct cluster_state
state_of(struct node *node)
{
	return cluster_state(node->cluster, nats.mem);
}

static bool
is_fault(struct node *node, const char *fault)
{
	struct cluster_state s = state_of(node);

	return s.fault != NULL && strcmp(s.fault, fault) == 0;
}

static bool
is_server(struct node *node, const char *server)
{
	struct cluster_state s = state_of(node);

	return s.server != NULL && strcmp(s.server, server) == 0;
}

static void
setup(void)
{
	nats_setup();
}

static void
teardown(void)
{
	close_node(&a);
	close_node(&b);
	nats_teardown();
}

START_TEST(without_the_setting_there_is_no_cluster)
{
	nats.conf.cluster_nats = "";
	ck_assert_ptr_null(cluster_open(&nats.conf, NULL, NULL));
	ck_assert_ptr_null(cluster_report(NULL, nats.mem));
	cluster_close(NULL);
	ck_assert(!cluster_is_connected(NULL));
}
END_TEST

START_TEST(a_message_reaches_the_subscribers_of_its_subject)
{
	nats_start();
	open_node(&a, &nats.conf);
	open_node(&b, &nats.conf);
	await_connection(&a);
	await_connection(&b);
	cluster_subscribe(b.cluster, "ch.*.in", receive, &b);
	await_path(&a, "ch.7.in", &b);
	cluster_publish(a.cluster, "ch.7.out.es", "no", 2);
	cluster_publish(a.cluster, "ch.8.in", "sound", 5);
	await_by(turn(&b), strcmp(b.last, "ch.8.in: sound") == 0);
	ck_assert_int_eq((int)b.last_bytes, 5);
	cluster_publish(a.cluster, "ch.8.in", NULL, 0);
	await_by(turn(&b), strcmp(b.last, "ch.8.in: ") == 0);
	ck_assert_int_eq((int)state_of(&b).messages_in, b.n);
	ck_assert_int_gt((int)state_of(&a).messages_out, b.n);
	ck_assert_int_eq((int)state_of(&a).dropped, 0);
	ck_assert_int_eq(b.changes, 1);
}
END_TEST

START_TEST(messages_of_one_sender_keep_their_order)
{
	char text[8];
	int first;

	nats_start();
	open_node(&a, &nats.conf);
	open_node(&b, &nats.conf);
	await_connection(&a);
	await_connection(&b);
	cluster_subscribe(b.cluster, "n", receive, &b);
	await_path(&a, "n", &b);
	first = b.n;
	for (int i = 0; i < 5000; i++) {
		snprintf(text, sizeof(text), "%d", i);
		cluster_publish(a.cluster, "n", text, strlen(text));
	}
	await_by(turn(&b), b.n == first + 5000);
	ck_assert_str_eq(b.last, "n: 4999");
}
END_TEST

START_TEST(another_prefix_is_not_heard)
{
	struct conf other = nats.conf;

	other.cluster_prefix = "another";
	nats_start();
	open_node(&a, &other);
	open_node(&b, &nats.conf);
	await_connection(&a);
	await_connection(&b);
	cluster_subscribe(b.cluster, ">", receive, &b);
	cluster_publish(a.cluster, "changed", "x", 1);
	await_path(&b, "own", &b);
	ck_assert_int_eq((int)state_of(&b).messages_in, b.n);
	ck_assert_str_eq(b.last, "own: ?");
}
END_TEST

START_TEST(wrong_credentials_are_refused_in_words_and_tried_again)
{
	nats.options = "--user dragoman --pass secret";
	nats.conf.cluster_user = "dragoman";
	nats.conf.cluster_password = "wrong";
	nats_start();
	open_node(&a, &nats.conf);
	await_by(turn(&a), is_fault(&a, "the server refuses the credentials: "
					"cluster.user with cluster.password, or "
					"cluster.credentials"));
	usleep(3500000); /* more than the two refusals after which the library ends */
	ck_assert(!cluster_is_connected(a.cluster));
	nats_stop();
	nats.options = "--user dragoman --pass wrong";
	nats_start();
	await_connection(&a);
	ck_assert_ptr_null(state_of(&a).fault);
}
END_TEST

START_TEST(a_server_that_comes_back_has_all_subscriptions)
{
	nats_start();
	open_node(&a, &nats.conf);
	open_node(&b, &nats.conf);
	cluster_subscribe(b.cluster, "n", receive, &b);
	await_connection(&a);
	await_connection(&b);
	await_path(&a, "n", &b);
	nats_stop();
	await(!cluster_is_connected(a.cluster) && !cluster_is_connected(b.cluster));
	cluster_publish(a.cluster, "n", "lost", 4);
	ck_assert_int_eq((int)state_of(&a).dropped, 1);
	cluster_subscribe(b.cluster, "m", receive, &b); /* meanwhile */
	usleep(1500000);
	ck_assert_str_eq(state_of(&a).fault, "no server of cluster.nats answers");
	nats_start();
	await_connection(&a);
	await_connection(&b);
	await_path(&a, "n", &b);
	await_path(&a, "m", &b);
	ck_assert_str_eq(b.last, "m: ?");
	ck_assert_int_eq((int)state_of(&b).connects, 2);
	ck_assert_int_eq(b.changes, 3);
}
END_TEST

START_TEST(a_server_may_start_after_the_node)
{
	open_node(&a, &nats.conf);
	cluster_subscribe(a.cluster, "n", receive, &a);
	ck_assert(!cluster_is_connected(a.cluster));
	await(is_fault(&a, "no server of cluster.nats answers"));
	ck_assert_ptr_nonnull(strstr(cluster_report(a.cluster, nats.mem),
	    "{\"fault\":\"no server of cluster.nats answers\",\"connected\":0,"));
	nats_start();
	await_connection(&a);
	await_path(&a, "n", &a);
	ck_assert_ptr_nonnull(strstr(cluster_report(a.cluster, nats.mem),
	    arena_printf(nats.mem, "{\"server\":\"nats://127.0.0.1:%d\",", nats.port)));
}
END_TEST

/* Returns a port that is free now. */
static int
free_port(void)
{
	struct sockaddr_in at = { .sin_family = AF_INET,
		.sin_addr.s_addr = htonl(INADDR_LOOPBACK) };
	socklen_t n = sizeof(at);
	int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);

	ck_assert_int_eq(bind(fd, (struct sockaddr *)&at, n), 0);
	ck_assert_int_eq(getsockname(fd, (struct sockaddr *)&at, &n), 0);
	close(fd);
	return ntohs(at.sin_port);
}

START_TEST(when_one_of_two_servers_dies_the_other_is_used)
{
	struct conf one = nats.conf;
	int port = free_port(), route = free_port();
	pid_t other;

	nats.options = arena_printf(nats.mem, "--cluster nats://127.0.0.1:%d", route);
	nats_start();
	await(is_open(route));
	other = spawn(arena_printf(nats.mem,
	    "exec nats-server -a 127.0.0.1 -p %d --cluster nats://127.0.0.1:%d "
	    "--routes nats://127.0.0.1:%d >/dev/null 2>&1",
	    port, free_port(), route));
	await(is_open(port));
	one.cluster_nats = arena_printf(nats.mem, "nats://127.0.0.1:%d", port);
	nats.conf.cluster_nats =
	    arena_printf(nats.mem, "%s, %s", nats.url, one.cluster_nats);
	open_node(&a, &nats.conf);
	open_node(&b, &one);
	await_connection(&a);
	await_connection(&b);
	cluster_subscribe(b.cluster, "n", receive, &b);
	await_path(&a, "n", &b);
	nats_stop();
	await(is_server(&a, one.cluster_nats));
	await_path(&a, "n", &b);
	stop(&other);
}
END_TEST

/* Starts a server with TLS; its certificate is for localhost. Returns its folder. */
static const char *
start_with_tls(void)
{
	const char *dir = unit_folder(nats.mem);
	pid_t maker;

	nats.conf.cluster_ca = arena_printf(nats.mem, "%s/cert", dir);
	maker = spawn(arena_printf(nats.mem,
	    "exec openssl req -x509 -newkey rsa:2048 -nodes -days 2 -subj "
	    "/CN=localhost -addext subjectAltName=DNS:localhost -keyout %s/key -out "
	    "%s/cert 2>/dev/null",
	    dir, dir));
	ck_assert_int_eq(waitpid(maker, NULL, 0), maker);
	nats.options =
	    arena_printf(nats.mem, "--tls --tlscert %s/cert --tlskey %s/key", dir, dir);
	nats.conf.cluster_nats =
	    arena_printf(nats.mem, "tls://localhost:%d", nats.port);
	nats_start();
	return dir;
}

START_TEST(a_server_is_believed_by_its_certificate)
{
	const char *folder;
	struct conf other;

	folder = start_with_tls();
	other = nats.conf;
	other.cluster_ca = "";
	open_node(&a, &nats.conf);
	open_node(&b, &other);
	await_connection(&a);
	cluster_subscribe(a.cluster, "n", receive, &a);
	await_path(&a, "n", &a);
	await(strstr(state_of(&b).fault, "self-signed certificate") != NULL);
	close_node(&b);
	other.cluster_ca = nats.conf.cluster_ca;
	other.cluster_nats = arena_printf(nats.mem, "tls://127.0.0.1:%d", nats.port);
	open_node(&b, &other);
	await(strstr(state_of(&b).fault, "mismatch") != NULL);
	unit_folder_drop(folder);
}
END_TEST

START_TEST(a_server_without_tls_is_refused_in_words)
{
	nats.conf.cluster_nats =
	    arena_printf(nats.mem, "tls://127.0.0.1:%d", nats.port);
	nats_start();
	open_node(&a, &nats.conf);
	await(is_fault(&a, "the server has no TLS: write nats:// in cluster.nats"));
}
END_TEST

START_TEST(a_file_that_is_not_there_is_named)
{
	struct conf other = nats.conf;

	nats.conf.cluster_credentials = "/nonexistent/creds";
	other.cluster_ca = "/nonexistent/ca";
	nats_start();
	open_node(&a, &nats.conf);
	open_node(&b, &other);
	await(strstr(state_of(&a).fault, "/nonexistent/creds") != NULL);
	await(strstr(state_of(&b).fault, "/nonexistent/ca") != NULL);
}
END_TEST

START_TEST(a_message_above_the_servers_limit_is_dropped_alone)
{
	static const char big[2 * CLUSTER_MESSAGE_MOST];

	nats_start();
	open_node(&a, &nats.conf);
	await_connection(&a);
	cluster_subscribe(a.cluster, "n", receive, &a);
	await_path(&a, "n", &a);
	cluster_publish(a.cluster, "n", big, sizeof(big));
	cluster_publish(a.cluster, "n", big, CLUSTER_MESSAGE_MOST);
	await_by(turn(&a), a.last_bytes == CLUSTER_MESSAGE_MOST);
	ck_assert_int_eq((int)state_of(&a).dropped, 1);
	ck_assert_int_eq((int)state_of(&a).connects, 1);
}
END_TEST

START_TEST(after_unsubscribing_no_message_is_sent)
{
	struct cluster_subscription *s;
	int n;

	nats_start();
	open_node(&a, &nats.conf);
	open_node(&b, &nats.conf);
	await_connection(&a);
	await_connection(&b);
	s = cluster_subscribe(b.cluster, "n", receive, &b);
	cluster_subscribe(b.cluster, "m", receive, &b);
	await_path(&a, "n", &b);
	for (int i = 0; i < 1000; i++)
		cluster_publish(a.cluster, "n", "x", 1);
	cluster_unsubscribe(s);
	turn(&b); /* run the messages that were in the mailbox */
	n = b.n;
	await_path(&a, "m", &b);
	ck_assert_str_eq(b.last, "m: ?");
	cluster_publish(a.cluster, "n", "x", 1);
	usleep(100000);
	turn(&b);
	ck_assert_str_eq(b.last, "m: ?");
	ck_assert_int_gt(b.n, n);
}
END_TEST

START_TEST(a_question_gets_one_answer_or_the_news_that_there_is_none)
{
	int64_t begun_us;

	nats_start();
	open_node(&a, &nats.conf);
	open_node(&b, &nats.conf);
	cluster_ask(a.cluster, "q", "?", 1, receive, &a); /* not connected */
	await_by(turn(&a), a.unanswered == 1);
	await_connection(&a);
	await_connection(&b);
	cluster_ask(a.cluster, "q", "?", 1, receive, &a); /* no subscriber */
	await_by(turn(&a), a.unanswered == 2);
	cluster_subscribe(b.cluster, "q", receive, &b);
	await_path(&a, "q", &b);
	b.answers = true;
	cluster_ask(a.cluster, "q", "?", 1, receive, &a);
	await_by((turn(&a), turn(&b)), a.n == 1);
	ck_assert_ptr_nonnull(strstr(a.last, ": yes"));
	b.answers = false;
	begun_us = monotonic_us();
	cluster_ask(a.cluster, "q", "?", 1, receive, &a);
	await_by((turn(&a), turn(&b)), a.unanswered == 3);
	ck_assert_int_ge((int)(monotonic_us() - begun_us), (int)CLUSTER_ASK_US);
	ck_assert_int_eq(a.n, 1);
}
END_TEST

START_TEST(a_server_that_stands_still_stops_no_caller)
{
	static const char big[100000];
	int64_t longest_us = 0, begun_us;

	nats_start();
	open_node(&a, &nats.conf);
	await_connection(&a);
	cluster_subscribe(a.cluster, "n", receive, &a);
	await_path(&a, "n", &a);
	kill(nats.pid, SIGSTOP);
	for (int i = 0; cluster_is_connected(a.cluster) && i < 3000; i++) {
		begun_us = monotonic_us();
		cluster_publish(a.cluster, "n", big, sizeof(big));
		if (monotonic_us() - begun_us > longest_us)
			longest_us = monotonic_us() - begun_us;
		usleep(5000);
	}
	ck_assert(!cluster_is_connected(a.cluster));
	ck_assert_int_lt((int)longest_us, 500000); /* on a busy machine */
	ck_assert_int_gt((int)state_of(&a).dropped, 0);
	kill(nats.pid, SIGCONT);
	await_connection(&a);
	await_path(&a, "n", &a);
}
END_TEST

START_TEST(closing_sends_the_queued_messages)
{
	int was;

	nats_start();
	open_node(&a, &nats.conf);
	open_node(&b, &nats.conf);
	await_connection(&a);
	await_connection(&b);
	cluster_subscribe(b.cluster, "n", receive, &b);
	await_path(&a, "n", &b);
	was = b.n;
	for (int i = 0; i < 1000; i++)
		cluster_publish(a.cluster, "n", "x", 1);
	close_node(&a);
	await_by(turn(&b), b.n == was + 1000);
}
END_TEST

static Suite *
suite(void)
{
	Suite *s = suite_create("cluster");
	TCase *t = tcase_create("cluster");

	tcase_add_checked_fixture(t, setup, teardown);
	tcase_set_timeout(t, 60);
	tcase_add_test(t, without_the_setting_there_is_no_cluster);
	tcase_add_test(t, a_message_reaches_the_subscribers_of_its_subject);
	tcase_add_test(t, messages_of_one_sender_keep_their_order);
	tcase_add_test(t, another_prefix_is_not_heard);
	tcase_add_test(t, wrong_credentials_are_refused_in_words_and_tried_again);
	tcase_add_test(t, a_server_that_comes_back_has_all_subscriptions);
	tcase_add_test(t, a_server_may_start_after_the_node);
	tcase_add_test(t, when_one_of_two_servers_dies_the_other_is_used);
	tcase_add_test(t, a_server_is_believed_by_its_certificate);
	tcase_add_test(t, a_server_without_tls_is_refused_in_words);
	tcase_add_test(t, a_file_that_is_not_there_is_named);
	tcase_add_test(t, a_message_above_the_servers_limit_is_dropped_alone);
	tcase_add_test(t, after_unsubscribing_no_message_is_sent);
	tcase_add_test(t, a_question_gets_one_answer_or_the_news_that_there_is_none);
	tcase_add_test(t, a_server_that_stands_still_stops_no_caller);
	tcase_add_test(t, closing_sends_the_queued_messages);
	suite_add_tcase(s, t);
	return s;
}

int
main(void)
{
	return unit_run(suite());
}
