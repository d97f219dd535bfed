/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * The two copies of a ledger, and the choice between them (docs/PROTOCOL.md, section 6, rules 2 and
 * 5).
 */
#ifndef CW_OWNERS_LEDGER_COPIES_H
#define CW_OWNERS_LEDGER_COPIES_H

#include "ledger_image.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CW_LEDGER_COPIES 2

/*
 * The file of one copy, as it was read. The caller sets the first three fields; @ledger has hosts
 * and room.
 */
struct cw_ledger_file {
	const u8 *image;
	size_t len;
	struct cw_ledger *ledger;
	enum cw_ledger_fault fault;
	bool foreign; /* a valid ledger of another disk, or with another UUID */
};

/**
 * cw_ledger_choose() - decodes both copies and chooses the valid one
 * @copies: both copies, with the same room for hosts
 * @uuid: of the ledger, from the export's configuration
 * @identity: of the disk, from the export's configuration
 * @crc32c: the checksum function
 *
 * Context: Any context.
 * Return: The index of the valid copy with the highest generation; -1: no copy can be used, or one
 *   is of another version.
 */
int cw_ledger_choose(struct cw_ledger_file copies[CW_LEDGER_COPIES], const u8 *uuid,
		     const u8 *identity, cw_crc32c_fn crc32c);

/**
 * cw_ledger_file_text() - returns the reason why a copy does not count, for a message to
 * administrators
 * @copy: the copy
 *
 * Context: Any context.
 * Return: The text.
 */
const char *cw_ledger_file_text(const struct cw_ledger_file *copy);

#ifdef __cplusplus
}
#endif

#endif
