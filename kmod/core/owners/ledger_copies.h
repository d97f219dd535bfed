/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * The two copies of a ledger: which of them counts (docs/PROTOCOL.md, section 6, rules 2 and 5).
 */
#ifndef CW_OWNERS_LEDGER_COPIES_H
#define CW_OWNERS_LEDGER_COPIES_H

#include "ledger_image.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CW_LEDGER_COPIES 2

/*
 * The file of a copy, as it was read. The caller sets the first three fields; @ledger has hosts and
 * room.
 */
struct cw_ledger_file {
	const u8 *image;
	size_t len;
	struct cw_ledger *ledger;
	enum cw_ledger_fault fault;
	bool foreign; /* it is a ledger, but another one */
};

/*
 * Decodes both copies. Returns the number of the copy that counts, or -1: none can be used, or one
 * is of another version. @uuid and @identity: those of the export's configuration. Both copies have
 * the same room for hosts.
 */
int cw_ledger_choose(struct cw_ledger_file copies[CW_LEDGER_COPIES], const u8 *uuid,
		     const u8 *identity, cw_crc32c_fn crc32c);

/* Says why a copy does not count, for a message to people. */
const char *cw_ledger_file_text(const struct cw_ledger_file *copy);

#ifdef __cplusplus
}
#endif

#endif
