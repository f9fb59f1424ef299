/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef TESTS_UNIT_MT_FIXTURE_H
#define TESTS_UNIT_MT_FIXTURE_H

/* Translation by an engine; engines with HTTP use engine-server. */
#include <check.h>
#include <string.h>

#include "base/clock.h"
#include "speech/engine.h"
#include "tests/engine-server.h"
#include "tests/unit/suite.h"

static struct arena *mem;
static struct engine_server server;
static bool guarded;

#define SLOW_US (5 * S_US)

static inline void
setup(void)
{
	mem = arena_new();
	server = engine_server_start();
}

static inline void
teardown(void)
{
	engine_server_stop(&server);
	arena_free(mem);
}

static inline struct engine_at
at(const char *kind, const char *path)
{
	return (struct engine_at){ .id = kind,
		.kind = kind,
		.url = arena_printf(mem, "http://127.0.0.1:%d%s", server.port, path),
		.key = "test-key",
		.timeout_ms = 3000,
		.allow_private = true };
}

/* Makes a term of each [source>target] in the text. */
static inline struct mt_text
read_text(const char *from, const char *to, const char *marked)
{
	struct mt_term *terms = arena_alloc(mem, 16 * sizeof(*terms));
	struct mt_text t = { .from = from, .to = to, .terms = terms };
	struct buf b = { .mem = mem };

	while (*marked != '\0') {
		size_t n = strcspn(marked, "["), len;

		buf_put(&b, marked, n);
		if (*(marked += n) == '\0')
			break;
		len = strcspn(marked, ">") - 1;
		n = strcspn(marked, "]");
		terms[t.nterms++] = (struct mt_term){ b.len, len,
			arena_dup(mem, marked + len + 2, n - len - 2) };
		buf_put(&b, marked + 1, len);
		marked += n + 1;
	}
	t.text = buf_text(&b);
	return t;
}

static inline enum err
translate(struct engine_at where, struct mt_text t, const char **out)
{
	*out = NULL;
	return mt_translate(
	    engine_find(where.kind)->mt, &where, mem, &t, out, &guarded);
}

#endif
