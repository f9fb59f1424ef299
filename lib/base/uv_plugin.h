/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_UV_PLUGIN_H
#define BASE_UV_PLUGIN_H

#include <stdbool.h>

/*
 * True if this host has the plugin that puts libwebsockets on libuv. Otherwise the
 * event loop uses poll(2), which looks at all sockets each time.
 */
bool uv_plugin_found(void);

#endif
