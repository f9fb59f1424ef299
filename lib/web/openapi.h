#ifndef WEB_OPENAPI_H
#define WEB_OPENAPI_H

#include "web/web.h"

/*
 * What a program prints of its table: --routes, a line each; --openapi, the
 * members of an OpenAPI 3.1 `paths` object.  The answer is an exit status.
 */
int routes_print(struct arena *, const struct route *, const char *how);

#endif
