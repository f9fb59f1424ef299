/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gateway/socket_end.h"

#include "base/log.h"
#include "web/metrics.h"

struct websocket_name
socket_end_name(const struct connection_request *v, const char *kind)
{
	return (
	    struct websocket_name){ kind, v->pipeline != NULL, v->stream, v->network };
}

/* Returns the reason in words; an end that both sides expect has none. */
static const char *
reason_of(int code, const char *reason)
{
	if (reason[0] != '\0')
		return reason;
	return code == 1000 ? "done" : "shutdown";
}

void
socket_end_log(
    struct gateway *g, const struct websocket_name *name, int code, const char *reason)
{
	reason = reason_of(code, reason);
	log_info("socket closed: %s %d %s, %s %s, from %s", name->kind, code, reason,
	    name->channel ? "channel" : "session", name->stream,
	    name->address != NULL ? name->address : "-");
	metrics_closed(g->app.metrics, name->kind, code, reason);
}
