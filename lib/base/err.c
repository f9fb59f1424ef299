#include "base/err.h"

const char *
err_name(enum err e)
{
	static const char *const names[] = {
		[OK] = "ok",
		[ERR_NOT_FOUND] = "not found",
		[ERR_CONFLICT] = "conflict",
		[ERR_STALE] = "stale",
		[ERR_LIMIT] = "limit reached",
		[ERR_BUSY] = "busy",
		[ERR_FULL] = "disk full",
		[ERR_UNSUPPORTED] = "unsupported",
		[ERR_REFUSED] = "refused",
		[ERR_TIMEOUT] = "timed out",
		[ERR_FAILED] = "failed",
	};

	return names[e];
}
