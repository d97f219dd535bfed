// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
#include "refusal.h"

bool cw_is_another_disk(const u8 known[CW_WIRE_UUID], const u8 identity[CW_WIRE_UUID])
{
	u8 any = 0, differs = 0;
	int i;

	for (i = 0; i < CW_WIRE_UUID; i++) {
		any |= known[i];
		differs |= known[i] ^ identity[i];
	}
	return any && differs;
}

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
