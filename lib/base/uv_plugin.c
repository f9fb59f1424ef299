/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/uv_plugin.h"

#include <dlfcn.h>
#include <stddef.h>

bool
uv_plugin_found(void)
{
	void *plugin = dlopen("libwebsockets-evlib_uv.so", RTLD_NOW | RTLD_LOCAL);

	if (plugin == NULL)
		return false;
	dlclose(plugin);
	return true;
}
