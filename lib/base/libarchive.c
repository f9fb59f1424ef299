/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/libarchive.h"

LAZY_LIBRARY_IS(libarchive, LIBARCHIVE_FUNCTIONS, "libarchive.so.13");
