// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
/*
 * Chooses between the two copies of a ledger. A crash during a write leaves at most one copy torn
 * or older than the other one.
 */
#include "ledger_copies.h"

static bool cw_ledger_file_is_good(const struct cw_ledger_file *copy)
{
	return copy->fault == CW_LEDGER_GOOD && !copy->foreign;
}

int cw_ledger_choose(struct cw_ledger_file copies[CW_LEDGER_COPIES], const u8 *uuid,
		     const u8 *identity, cw_crc32c_fn crc32c)
{
	const struct cw_ledger *newest = NULL;
	bool other_version = false;
	int i, chosen = -1;

	for (i = 0; i < CW_LEDGER_COPIES; i++) {
		struct cw_ledger_file *copy = &copies[i];

		copy->fault = cw_ledger_decode(copy->ledger, copy->image, copy->len, crc32c);
		copy->foreign = copy->fault == CW_LEDGER_GOOD &&
				(!cw_same_uuid(copy->ledger->uuid, uuid) ||
				 !cw_same_uuid(copy->ledger->identity, identity));
		other_version |= copy->fault == CW_LEDGER_OTHER_VERSION;
		if (!cw_ledger_file_is_good(copy))
			continue;
		if (!newest || copy->ledger->generation > newest->generation) {
			newest = copy->ledger;
			chosen = i;
		}
	}
	/* A later version of this code wrote that copy, and may know more than this one. */
	return other_version ? -1 : chosen;
}

const char *cw_ledger_file_text(const struct cw_ledger_file *copy)
{
	return copy->foreign ? "it is the ledger of another disk, or one that was discarded"
			     : cw_ledger_fault_text(copy->fault);
}
