// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
#include "refusal.h"

enum cw_refusal_meaning cw_refusal_means(const struct cw_refusal *refusal)
{
	bool replaced = refusal->reason == CW_REFUSED_STALE ||
			refusal->reason == CW_REFUSED_SUPERSEDED;

	if (!refusal->after_proof || !refusal->proved)
		return CW_REFUSAL_FAILED;
	if (!refusal->returning)
		return replaced ? CW_REFUSAL_END_ATTACH : CW_REFUSAL_FAILED;
	if (refusal->identity == CW_IDENTITY_OTHER)
		return CW_REFUSAL_ANOTHER_DISK;
	if (refusal->identity == CW_IDENTITY_SAME &&
	    (replaced || refusal->reason == CW_REFUSED_EVICTED))
		return CW_REFUSAL_FINAL;
	return CW_REFUSAL_FAILED;
}
