/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/libxml.h"

LAZY_LIBRARY_IS(libxml, LIBXML_FUNCTIONS, "libxml2.so.2");
