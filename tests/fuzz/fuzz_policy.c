/* SPDX-License-Identifier: GPL-3.0-or-later */
/*
 * A posted upload form, in lines "name=value". A signature "S" is replaced by the right
 * one, and a policy that is not base64 is encoded first, so that conditions are fuzzed,
 * too. An accepted form must keep the promises of policy_check().
 */
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include "base/base64.h"
#include "base/clock.h"
#include "blob/policy.h"

int LLVMFuzzerTestOneInput(const uint8_t *, size_t);

static const struct sigv4 ours = { "AK", "secret", "us-east-1" };

static void
sign(struct arena *mem, struct policy_field *f, size_t n)
{
	struct policy_field *policy = NULL, *signature = NULL;

	for (size_t i = 0; i < n; i++) {
		policy = strcmp(f[i].name, "Policy") == 0 ? &f[i] : policy;
		signature =
		    strcmp(f[i].name, "X-Amz-Signature") == 0 ? &f[i] : signature;
	}
	if (policy != NULL && policy->value[0] == '{')
		policy->value = base64(mem, policy->value, strlen(policy->value));
	if (policy != NULL && signature != NULL && strcmp(signature->value, "S") == 0)
		signature->value = sigv4_sign(mem, &ours, "20261120", policy->value);
}

int
LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
	struct arena *mem = arena_new();
	struct policy_field fields[64];
	struct policy_bound to;
	char *save, *s = arena_dup(mem, (const char *)data, size);
	size_t n = 0;

	for (s = strtok_r(s, "\n", &save); s != NULL && n < 64;
	     s = strtok_r(NULL, "\n", &save)) {
		size_t name = strcspn(s, "=");

		fields[n].name = arena_dup(mem, s, name);
		fields[n++].value = s[name] == '=' ? s + name + 1 : "";
	}
	sign(mem, fields, n);
	if (policy_check(mem, &ours, fields, n, 1795169924 * S_US, &to) ==
		POLICY_GOOD &&
	    (to.key == NULL || to.status < 200 || to.status > 204))
		abort();
	arena_free(mem);
	return 0;
}
