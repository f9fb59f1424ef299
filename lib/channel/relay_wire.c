/* SPDX-License-Identifier: GPL-3.0-or-later */
#include <stdio.h>
#include <string.h>

#include "channel/relay_internal.h"

const char *
relay_subject(char to[RELAY_SUBJECT], const char *id, const char *rest)
{
	snprintf(to, RELAY_SUBJECT, "ch.%s.%s", id, rest);
	return to;
}

const char *
relay_node_subject(char to[RELAY_SUBJECT], const char *node)
{
	snprintf(to, RELAY_SUBJECT, "node.%s", node);
	return to;
}

bool
relay_read(const struct cluster_message *m, struct relay_message *to)
{
	const char *text = (const char *)m->bytes, *why;
	const char *end = m->n > 0 ? memchr(text, '\n', m->n) : NULL;

	if (end == NULL)
		return false;
	to->mem = m->call.message.mem;
	to->head = json_read(m->call.message.mem, text, (size_t)(end - text), &why);
	if (to->head == NULL || (to->type = json_get_text(to->head, "t")) == NULL)
		return false;
	to->epoch = json_get_int(to->head, "epoch", 0);
	to->bytes = end + 1;
	to->n = m->n - (size_t)(to->bytes - text);
	return true;
}

struct json_writer
relay_begin(struct buf *b, const char *type, int64_t epoch)
{
	struct json_writer j = { .out = b };

	*b = (struct buf){ .mem = arena_new() };
	jw_open(&j, NULL);
	jw_text(&j, "t", type);
	jw_int(&j, "epoch", epoch);
	return j;
}

void
relay_publish(struct gateway *g, const char *subject, struct json_writer *j,
    const void *bytes, size_t n)
{
	struct buf *b = j->out;

	jw_close(j);
	buf_str(b, "\n");
	buf_put(b, bytes, n);
	cluster_publish(g->cluster, subject, b->p, b->len);
	arena_free(b->mem);
}
