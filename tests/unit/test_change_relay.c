/* SPDX-License-Identifier: GPL-3.0-or-later */
/* A change of the database at one node is noticed at the others. */
#include <sys/wait.h>

#include "cluster/cluster.h"
#include "db/local_pulse.h"
#include "gateway/change_relay.h"
#include "tests/unit/gateway_fixture.h"
#include "tests/unit/nats_fixture.h"

static struct cluster *peer;
static int heard;

static void
hear(struct gateway *g, struct thread_call *e)
{
	const struct cluster_message *m = (const struct cluster_message *)e;

	heard +=
	    m->n == strlen(g->conf->node) && memcmp(m->bytes, g->conf->node, m->n) == 0;
	arena_free(e->message.mem);
}

static void
setup(void)
{
	nats_setup();
	nats_start();
	gateway_open();
	local_pulse_set(arena_printf(fixture.mem, "%s/db.pulse", fixture.dir));
	nats.conf.node = gateway.conf->node;
	gateway.cluster = cluster_open(&nats.conf, gateway.to_event_loop, NULL);
	peer = cluster_open(&nats.conf, gateway.to_event_loop, NULL);
	change_relay_start(&gateway);
	cluster_subscribe(peer, "changed", hear, NULL);
	heard = 0;
	await_by(gateway_tick(),
	    cluster_is_connected(gateway.cluster) && cluster_is_connected(peer));
}

static void
teardown(void)
{
	gateway_empty();
	cluster_close(gateway.cluster);
	cluster_close(peer);
	gateway_close();
	nats_teardown();
}

static void
change_by_another_process(void)
{
	pid_t pid = fork();

	if (pid == 0) {
		local_pulse_raise();
		_exit(0);
	}
	ck_assert_int_eq(waitpid(pid, NULL, 0), pid);
}

START_TEST(others_are_told_once_of_several_changes)
{
	int64_t now = monotonic_us() + S_US;

	change_relay_note(&gateway, local_pulse(), now);
	for (int i = 0; i < 3; i++)
		change_by_another_process();
	change_relay_note(&gateway, local_pulse(), now + S_US);
	change_relay_note(&gateway, local_pulse(), now + 2 * S_US);
	await_by(gateway_tick(), heard == 1);
	gateway_wait(100);
	ck_assert_int_eq(heard, 1);
}
END_TEST

/* It is not told again, which would never end. */
START_TEST(a_change_elsewhere_is_one_here)
{
	int64_t was = local_pulse(), now = monotonic_us() + S_US;

	change_relay_note(&gateway, was, now);
	gateway_wait(100);
	heard = 0;
	cluster_publish(peer, "changed", "b", 1);
	await_by(gateway_tick(), local_pulse() == was + 1);
	change_relay_note(&gateway, local_pulse(), now + S_US);
	cluster_publish(
	    peer, "changed", gateway.conf->node, strlen(gateway.conf->node));
	await_by(gateway_tick(), heard == 1);
	gateway_wait(100);
	ck_assert_int_eq(local_pulse(), was + 1);
	ck_assert_int_eq(heard, 1);
}
END_TEST

int
main(void)
{
	Suite *s = suite_create("change relay");
	TCase *t = tcase_create("all");

	tcase_set_timeout(t, 20);
	tcase_add_checked_fixture(t, setup, teardown);
	tcase_add_test(t, others_are_told_once_of_several_changes);
	tcase_add_test(t, a_change_elsewhere_is_one_here);
	suite_add_tcase(s, t);
	return unit_run(s);
}
