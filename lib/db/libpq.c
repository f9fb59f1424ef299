/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "db/libpq.h"

LAZY_LIBRARY_IS(libpq, LIBPQ_FUNCTIONS, "libpq.so.5");
