#!/bin/sh
# Every source file names the licence in its SPDX line.  Run in the root of the tree.

# SPDX-License-Identifier: GPL-3.0-or-later
without=$(find lib cgi-bin workers schema web tests bench -type f \( -name '*.[ch]' -o -name '*.js' \
	-o -name '*.css' -o -name '*.sql' -o -name '*.sh' -o -name '*.py' \) \
	-not -path '*/data/*' -not -path '*/node_modules/*' \
	-exec grep -L 'SPDX-License-Identifier: GPL-3.0-or-later' {} + | sort)
[ -z "$without" ] || echo "$without" | sed 's/$/: no SPDX line/'
[ -z "$without" ]
