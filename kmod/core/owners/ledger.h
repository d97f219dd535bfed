/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * The ledger of a disk: which session of which host may write to it (docs/PROTOCOL.md, sections 5
 * and 6). These functions work on the state in memory and depend on their arguments alone. They
 * neither lock nor sleep: the caller serialises all access to one ledger.
 */
#ifndef CW_OWNERS_LEDGER_H
#define CW_OWNERS_LEDGER_H

#include "../../../include/wire/causeway_parse.h"

#ifdef __cplusplus
extern "C" {
#endif

#define CW_LEDGER_REPLACED 8 /* replaced boots that an entry holds */
#define CW_LEDGER_SECRET 32

/* The entry of one host. A UUID of zeroes means none. */
struct cw_ledger_host {
	u8 host[CW_WIRE_UUID];
	u8 boot[CW_WIRE_UUID]; /* none: the host was evicted and never had a session */
	u8 session[CW_WIRE_UUID]; /* none: the host is no owner */
	u64 serial; /* of the newest attachment of @boot */
	u64 newest; /* epoch of the newest login or join that was admitted */
	u64 confirmed; /* epoch of the newest login that the client is known to have accepted */
	u64 seen; /* seconds since 1970; the host was last connected */
	u8 replaced[CW_LEDGER_REPLACED][CW_WIRE_UUID]; /* boots, the newest first */
	bool evicted;
	u32 dead_ms; /* ms; the detection time of the owner's last WELCOME; 0: unknown */
	/* In memory only. 0: the server started after the owner's last message. */
	u64 heard; /* ms on the clock of cw_owners; arrival of the owner's last message */
};

struct cw_ledger {
	u8 uuid[CW_WIRE_UUID];
	u8 identity[CW_WIRE_UUID];
	u8 secret[CW_LEDGER_SECRET];
	u64 generation;
	bool outdated; /* an older copy was put back: no login is admitted */
	u32 count;
	u32 room; /* entries that fit into @hosts, which belongs to the caller */
	struct cw_ledger_host *hosts;
};

/* A session as HELLO names it. */
struct cw_owner {
	u8 host[CW_WIRE_UUID];
	u8 boot[CW_WIRE_UUID];
	u8 session[CW_WIRE_UUID];
	u64 serial;
};

/**
 * cw_same_uuid() - compares two UUIDs
 * @a: one UUID
 * @b: another UUID
 *
 * Context: Any context.
 * Return: True if they are the same.
 */
bool cw_same_uuid(const u8 *a, const u8 *b);

/**
 * cw_ledger_find() - finds the entry of a host
 * @ledger: the ledger
 * @host: UUID of the host
 *
 * Context: Any context. The caller serialises access to the ledger.
 * Return: The entry, or NULL.
 */
struct cw_ledger_host *cw_ledger_find(const struct cw_ledger *ledger, const u8 *host);

/**
 * cw_ledger_is_owner() - checks whether a host has a session that may write
 * @entry: the entry of the host
 *
 * Context: Any context. The caller serialises access to the ledger.
 * Return: True if the host has such a session.
 */
bool cw_ledger_is_owner(const struct cw_ledger_host *entry);

/**
 * cw_ledger_owns() - checks whether a session is the owner of an entry
 * @entry: the entry of the host
 * @owner: the session
 *
 * Context: Any context. The caller serialises access to the ledger.
 * Return: True if the session is the owner.
 */
bool cw_ledger_owns(const struct cw_ledger_host *entry, const struct cw_owner *owner);

/**
 * cw_ledger_owner() - finds an owner of the disk
 * @ledger: the ledger
 * @count: set to the number of owners
 *
 * Context: Any context. The caller serialises access to the ledger.
 * Return: The entry of one owner, or NULL.
 */
struct cw_ledger_host *cw_ledger_owner(const struct cw_ledger *ledger, u32 *count);

/**
 * cw_ledger_has_replaced() - checks whether an entry has replaced boots
 * @entry: the entry of the host
 *
 * Context: Any context. The caller serialises access to the ledger.
 * Return: True if the entry has one at least.
 */
bool cw_ledger_has_replaced(const struct cw_ledger_host *entry);

/**
 * cw_ledger_is_replaced() - checks whether a later boot of the host has replaced a boot
 * @entry: the entry of the host
 * @boot: the boot
 *
 * Context: Any context. The caller serialises access to the ledger.
 * Return: True if @boot is one of the replaced boots.
 */
bool cw_ledger_is_replaced(const struct cw_ledger_host *entry, const u8 *boot);

/**
 * cw_ledger_set_owner() - makes a session the owner at its host
 * @ledger: the ledger
 * @owner: the session
 * @epoch: of its login
 *
 * A boot that it replaces becomes a replaced boot. A full ledger drops the entry without owner and
 * eviction whose host was away for the longest time.
 *
 * Context: Any context. The caller serialises access to the ledger.
 * Return: The entry; NULL: the ledger is full, and nothing was changed.
 */
struct cw_ledger_host *cw_ledger_set_owner(struct cw_ledger *ledger, const struct cw_owner *owner,
					   u64 epoch);

/**
 * cw_ledger_clear_owner() - removes the session of the host
 * @entry: the entry of the host
 *
 * Its boots and its serial remain.
 *
 * Context: Any context. The caller serialises access to the ledger.
 */
void cw_ledger_clear_owner(struct cw_ledger_host *entry);

/**
 * cw_ledger_evict() - evicts a host, which need not have an entry
 * @ledger: the ledger
 * @host: UUID of the host
 *
 * Context: Any context. The caller serialises access to the ledger.
 * Return: The entry; NULL: the ledger is full, and nothing was changed.
 */
struct cw_ledger_host *cw_ledger_evict(struct cw_ledger *ledger, const u8 *host);

/**
 * cw_ledger_readmit() - ends an eviction and drops the replaced boots
 * @entry: the entry of the host
 *
 * The entry stays without a session.
 *
 * Context: Any context. The caller serialises access to the ledger.
 */
void cw_ledger_readmit(struct cw_ledger_host *entry);

/**
 * cw_ledger_copy() - makes a ledger the same as another one
 * @to: the copy; keeps its hosts array
 * @from: the original
 *
 * Context: Any context. The caller serialises access to both ledgers.
 * Return: False if @from has more entries than @to has room for.
 */
bool cw_ledger_copy(struct cw_ledger *to, const struct cw_ledger *from);

#ifdef __cplusplus
}
#endif

#endif
