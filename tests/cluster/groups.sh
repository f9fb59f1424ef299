# SPDX-License-Identifier: GPL-3.0-or-later
# Control groups that limit the processor time of hosts, in bash.

groups=()

# group_of DIR PERCENT: limit all processes of the instance in DIR to this share of a
# processor.  Fails where control groups cannot be made.
group_of() {
	local at group pid
	for at in /sys/fs/cgroup /sys/fs/cgroup/unified /sys/fs/cgroup/cpu; do
		group=$at/dragoman-$$-${1##*/}
		[ -e "$at/cgroup.procs" ] || continue
		mkdir "$group" 2>/dev/null || continue
		groups+=("$group")
		{ echo "$(($2 * 1000)) 100000" >"$group/cpu.max" ||
			echo $(($2 * 1000)) >"$group/cpu.cfs_quota_us"; } 2>/dev/null || continue
		for pid in $(processes_of "$1"); do
			echo "$pid" >"$group/cgroup.procs" 2>/dev/null || true
		done
		return 0
	done
	return 1
}

# Print the processes of the sessions that tests/instance started.
processes_of() {
	local pid rest
	while read -r pid rest; do
		ps -o pid= -s "$pid"
	done <"$1/var/instance/pids"
}

# The processes have ended, or go back to the group above.
groups_end() {
	local group pid
	for group in "${groups[@]}"; do
		while read -r pid; do
			echo "$pid" >"${group%/*}/cgroup.procs" 2>/dev/null || true
		done <"$group/cgroup.procs"
		rmdir "$group" || true
	done
}
