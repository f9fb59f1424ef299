/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef WEB_OPENAPI_H
#define WEB_OPENAPI_H

#include "web/web.h"

/* Print a program's routes: with --routes one per line, with --openapi as the members
   of an OpenAPI 3.1 `paths` object.  Returns an exit status. */
int routes_print(struct arena *, const struct route *, const char *how);

#endif
