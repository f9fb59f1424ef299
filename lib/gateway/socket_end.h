/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef GATEWAY_SOCKET_END_H
#define GATEWAY_SOCKET_END_H

#include "gateway/gateway.h"

/* The connection of a request; kind: as in struct websocket_name. */
struct websocket_name socket_end_name(
    const struct connection_request *, const char *kind);

/*
 * The server closes a connection: write one line to the log and count it in
 * dragoman_sockets_closed_total. reason: one of a few, never a client's text.
 */
void socket_end_log(
    struct gateway *, const struct websocket_name *, int code, const char *reason);

#endif
