/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "net/libcurl.h"

LAZY_LIBRARY_IS(libcurl, LIBCURL_FUNCTIONS, "libcurl.so.4");
