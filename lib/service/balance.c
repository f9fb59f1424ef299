#include "service/balance.h"

#include "base/credits.h"
#include "service/price.h"

/* clang-format off */
const struct field	 balance_fields[] = FIELDS(
	{ "credits",        F_REAL, MEMBER(balance, credits), .flags = F_OUT },
	{ "usd_equivalent", F_REAL, MEMBER(balance, usd),     .flags = F_OUT }
);
/* clang-format on */

struct balance
balance_of(const struct conf *conf, int64_t micro)
{
	return (struct balance){ (double)credits_round(micro, 100) / 1e4,
		(double)price_cents(conf, micro) / 100 };
}
