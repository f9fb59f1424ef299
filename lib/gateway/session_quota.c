/* SPDX-License-Identifier: GPL-3.0-or-later */
#include "gateway/session_quota.h"

#include "store/ledger.h"
#include "store/sessions.h"

bool
session_quota_is_paid(struct request *rq, const char *account, struct reply *no)
{
	int64_t micro;
	enum err e = ledger_balance(rq->db, account, &micro);

	if (e != OK)
		*no = problem_err(rq, e);
	else if (micro <= 0)
		*no = problem(rq, P_NO_BALANCE, "Insufficient balance");
	else
		return true;
	return false;
}

bool
session_quota_is_free(struct request *rq, const struct caller *who, struct reply *no)
{
	int64_t most = who->plan.parallel_sessions, n = 0;
	enum err e = most > 0 ? session_count(rq->db, who->account, &n) : OK;

	if (e != OK)
		*no = problem_err(rq, e);
	else if (most > 0 && n >= most)
		*no = problem(rq, P_SESSION_LIMIT,
		    "The plan allows %lld parallel sessions.", (long long)most);
	else
		return true;
	return false;
}
