/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * The ledger of an export on stable storage: two files, each with a copy (docs/PROTOCOL.md,
 * section 6, rules 2 to 5). User space makes the files, at their full size, so that no write needs
 * space.
 */
#ifndef CW_LEDGER_STORE_H
#define CW_LEDGER_STORE_H

#include "../../owners/ledger_copies.h"

struct cw_ledger_store;
struct netlink_ext_ack;

struct cw_ledger_place {
	const char *folder; /* absolute */
	const u8 *uuid; /* of the ledger, as the configuration of the export has it */
	const u8 *identity; /* names the files: IDENTITY.0 and IDENTITY.1 */
	const char *export_name; /* for messages to people */
};

/**
 * cw_ledger_store_open() - opens both files, and makes both copies equal
 * @place: the files
 * @ledger: set to the content of the copy that counts. Has room for CW_LEDGER_HOSTS_MAX hosts.
 * @spare: used meanwhile. Has as much room.
 * @written: called with @arg after each write of cw_ledger_store_write(), in process context
 * @arg: for @written
 * @extack: gets the reason of an error, unless it is -ENOMEM
 *
 * Opens the files with the rights of the caller, reads them, and writes the content of the copy
 * that counts to both.
 *
 * Context: Process context. May sleep.
 * Return: The store, or an ERR_PTR().
 */
struct cw_ledger_store *cw_ledger_store_open(const struct cw_ledger_place *place,
					     struct cw_ledger *ledger, struct cw_ledger *spare,
					     void (*written)(void *arg, int error), void *arg,
					     struct netlink_ext_ack *extack);
/**
 * cw_ledger_store_write() - starts to write a ledger to both copies, one after the other
 * @store: store. There is at most one write at a time.
 * @ledger: ledger, which is not read any more when this returns
 *
 * Context: Process context.
 */
void cw_ledger_store_write(struct cw_ledger_store *store, const struct cw_ledger *ledger);
/**
 * cw_ledger_store_close() - waits for the write, and closes the files
 * @store: store, or NULL
 *
 * Context: Process context. May sleep.
 */
void cw_ledger_store_close(struct cw_ledger_store *store);

#endif
