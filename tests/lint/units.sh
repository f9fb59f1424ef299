#!/bin/sh
# Check the units for systemd after installation: systemd can read them, each worker has a
# timer, and the services have no more rights than listed here.  Without systemd-analyze
# nothing is checked.  Run in the root of the tree.

# SPDX-License-Identifier: GPL-3.0-or-later
MOST=1.6 # highest exposure level, of 10 (systemd-analyze security)

command -v systemd-analyze >/dev/null || exit 0
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
units=$scratch/etc/systemd/system
mkdir -p "$units" "$scratch/p/bin" "$scratch/p/var"
workers=$(find workers -name '*.c' ! -name 'dragoman*' ! -name gateway.c -exec basename {} .c \;)
for name in gateway $workers; do # systemd-analyze verify needs an existing program
	: >"$scratch/p/bin/$name"
	chmod 755 "$scratch/p/bin/$name"
done
cron/units "$scratch/p" www-data "$units" || exit 1
bad=0

check() { # UNIT
	if said=$(SYSTEMD_UNIT_PATH=$units: systemd-analyze verify --man=no "$1" 2>&1) && [ -z "$said" ]; then :; else
		echo "$1: systemd does not take it: $said"
		bad=1
	fi
	case $1 in *.service) ;; *) return ;; esac
	systemd-analyze security --offline=true --root="$scratch" --threshold="${MOST%.*}${MOST#*.}" \
		--no-pager "$1" >"$scratch/security" || {
		grep ✗ "$scratch/security"
		echo "$1: it may do more than before, see above: $(tail -n 1 "$scratch/security")"
		bad=1
	}
}

check dragoman-gateway.service
for worker in $workers; do
	grep -q "^Wants=.*\bdragoman-worker@$worker\.timer\b" "$units/dragoman.target" || {
		echo "dragoman.target does not start $worker"
		bad=1
	}
done
check "dragoman-worker@${worker:?}.service"
check "dragoman-worker@$worker.timer"
check dragoman.target
exit $bad
