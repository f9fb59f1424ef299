/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_ASYNCAPI_H
#define SERVER_ASYNCAPI_H

/*
 * Print the tables of the sockets as JSON: the parameters of their addresses, and the
 * messages of clients and of the server with schemas and examples. web/asyncapi.jq
 * converts this to /asyncapi.json.
 */
void asyncapi_print(void);

#endif
