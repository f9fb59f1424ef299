/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef SERVER_ASYNCAPI_H
#define SERVER_ASYNCAPI_H

/*
 * Print what the tables say of the sockets as JSON: parameters of their addresses, and
 * the messages of clients and of the server with schemas and examples.
 * web/asyncapi.jq makes /asyncapi.json of it.
 */
void asyncapi_print(void);

#endif
