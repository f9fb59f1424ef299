/* SPDX-License-Identifier: GPL-3.0-or-later */
#ifndef BASE_VERSION_H
#define BASE_VERSION_H

#define VERSION "0.9"

#endif
