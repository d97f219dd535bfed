/* SPDX-License-Identifier: GPL-2.0-only */
/*
 * Hosts of an export: who owns it, and evictions (docs/PROTOCOL.md, section 5, rules 27 to 30).
 */
#ifndef CW_EVICTION_H
#define CW_EVICTION_H

#include <linux/socket.h>

#include "../../owners/owners.h"

struct cw_server_export;

/* A host as an administrator sees it. */
struct cw_server_owner {
	u8 host[CW_WIRE_UUID];
	u8 boot[CW_WIRE_UUID];
	u8 session[CW_WIRE_UUID];
	u64 serial, newest, seen; /* seen: seconds since 1970 */
	bool owner; /* it has a session that may write */
	bool evicted;
	bool live; /* the session is logged in: then these two are set */
	char host_name[CW_WIRE_NAME];
	struct sockaddr_storage peer;
};

/* The state of a ledger. */
struct cw_server_ledger {
	u8 uuid[CW_WIRE_UUID];
	u32 hosts, hosts_max;
	u32 takeover_after; /* s */
	bool on_storage; /* otherwise it is in memory */
	bool outdated;
	int error; /* of the last write */
};

/**
 * cw_server_evict() - evicts or readmits a host
 * @x: state of the export
 * @host: UUID of the host
 * @readmit: true: readmit; false: evict
 *
 * Returns after 2 s at most, because generic netlink holds a lock of the whole system meanwhile.
 *
 * Context: Process context. Sleeps. Takes the lock of the admission.
 * Return: 0: done; for an eviction, no command of the host is left. -EINPROGRESS: not yet, and
 * another call waits for the same request. -EROFS: the export is read-only; -EIO: the ledger cannot
 * be written; -ENOSPC: it has no room; -ENOENT: the export has been removed; -ENOMEM.
 */
int cw_server_evict(struct cw_server_export *x, const u8 host[CW_WIRE_UUID], bool readmit);
/**
 * cw_server_owner() - gets a host of the ledger
 * @x: state of the export
 * @index: number of the host in the ledger, from 0
 * @out: set to the host, or zeroed
 *
 * Context: Process context. May sleep. Takes the lock of the admission.
 * Return: False if the ledger has fewer hosts.
 */
bool cw_server_owner(struct cw_server_export *x, u32 index, struct cw_server_owner *out);
/**
 * cw_server_ledger() - gets the state of the ledger
 * @x: state of the export
 * @out: set
 *
 * Context: Process context. May sleep. Takes the lock of the admission.
 * Return: False: a read-only export has no ledger.
 */
bool cw_server_ledger(struct cw_server_export *x, struct cw_server_ledger *out);

/**
 * cw_eviction_completed() - ends the wait for a request, as a function of cw_owners_ops
 * @request: request that the machine has completed
 * @error: its result, 0 or -errno
 *
 * Context: Process context, under the lock of the admission.
 */
void cw_eviction_completed(struct cw_owners_request *request, int error);

#endif
