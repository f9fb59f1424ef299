#!/bin/sh
# Every .c and .h file has the layout of .clang-format.  Run in the root of the tree.

# SPDX-License-Identifier: GPL-3.0-or-later
find lib cgi-bin workers tests bench -name '*.[ch]' 2>/dev/null | sort |
    xargs -P 2 -n 100 clang-format --dry-run -Werror
