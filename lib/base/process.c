/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "base/process.h"

#include <pwd.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/child_start.h"
#include "base/log.h"

void
process_protect_memory(void)
{
	setrlimit(RLIMIT_CORE, &(struct rlimit){ 0, 0 });
#ifndef __SANITIZE_ADDRESS__ /* whose leak check traces the process */
	prctl(PR_SET_DUMPABLE, 0, 0, 0, 0);
#endif
}

void
process_end_with(pid_t parent)
{
	prctl(PR_SET_PDEATHSIG, SIGTERM, 0, 0, 0);
	if (getppid() != parent)
		_exit(128 + SIGTERM);
}

/* If root created files there, the user's programs could not open them. */
bool
process_may_write(const char *folder)
{
	const struct passwd *owner;
	struct stat st;

	if (geteuid() != 0 || stat(folder, &st) != 0 || st.st_uid == 0)
		return true;
	owner = getpwuid(st.st_uid);
	log_error("%s belongs to %s: run this as that user, not as root", folder,
	    owner != NULL ? owner->pw_name : "another user");
	return false;
}
