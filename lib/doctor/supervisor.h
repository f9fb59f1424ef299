#ifndef DOCTOR_SUPERVISOR_H
#define DOCTOR_SUPERVISOR_H

#include <stdbool.h>

#include "base/arena.h"

/*
 * systemd has units of this installation, so its timers start the workers and its
 * journal has what they say; otherwise that is cron's affair.
 */
bool supervisor_is_systemd(struct arena *, const char *prefix);

#endif
