/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_NATS_FIXTURE_H
#define TESTS_UNIT_NATS_FIXTURE_H

/* A nats-server on 127.0.0.1, and settings that name it. */
#include "base/conf.h"
#include "tests/unit/stream_servers.h"

static struct {
	struct arena *mem;
	int port;
	const char *url;
	const char *options; /* of its command line */
	pid_t pid;
	struct conf conf;
} nats;

static inline void
nats_start(void)
{
	nats.pid = spawn(arena_printf(nats.mem,
	    "exec nats-server -a 127.0.0.1 -p %d %s >/dev/null 2>&1", nats.port,
	    nats.options));
	await(is_open(nats.port));
}

static inline void
nats_stop(void)
{
	stop(&nats.pid);
}

/* Chooses a port; starts nothing. */
static inline void
nats_setup(void)
{
	nats.mem = arena_new();
	nats.port = unit_port();
	nats.options = "";
	nats.url = arena_printf(nats.mem, "nats://127.0.0.1:%d", nats.port);
	nats.conf = (struct conf){
		.node = "6f1f0f4e-0000-4000-8000-000000000001",
		.cluster_nats = nats.url,
		.cluster_prefix = "dragoman",
		.cluster_user = "",
		.cluster_password = "",
		.cluster_credentials = "",
		.cluster_ca = "",
	};
}

static inline void
nats_teardown(void)
{
	nats_stop();
	arena_free(nats.mem);
}

#endif
