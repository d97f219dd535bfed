// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
/* Entries of the ledger in memory. Their order has no meaning. */
#ifdef __KERNEL__
#include <linux/string.h>
#else
#include <string.h>
#endif

#include "ledger.h"

static const u8 cw_no_uuid[CW_WIRE_UUID];

bool cw_same_uuid(const u8 *a, const u8 *b)
{
	return !memcmp(a, b, CW_WIRE_UUID);
}

struct cw_ledger_host *cw_ledger_find(const struct cw_ledger *ledger, const u8 *host)
{
	u32 i;

	for (i = 0; i < ledger->count; i++)
		if (cw_same_uuid(ledger->hosts[i].host, host))
			return &ledger->hosts[i];
	return NULL;
}

bool cw_ledger_is_owner(const struct cw_ledger_host *entry)
{
	return !cw_same_uuid(entry->session, cw_no_uuid);
}

bool cw_ledger_owns(const struct cw_ledger_host *entry, const struct cw_owner *owner)
{
	return cw_same_uuid(entry->host, owner->host) && cw_same_uuid(entry->boot, owner->boot) &&
	       cw_same_uuid(entry->session, owner->session);
}

struct cw_ledger_host *cw_ledger_owner(const struct cw_ledger *ledger, u32 *count)
{
	struct cw_ledger_host *owner = NULL;
	u32 i;

	*count = 0;
	for (i = 0; i < ledger->count; i++) {
		if (cw_ledger_is_owner(&ledger->hosts[i])) {
			owner = &ledger->hosts[i];
			++*count;
		}
	}
	return owner;
}

bool cw_ledger_has_replaced(const struct cw_ledger_host *entry)
{
	return !cw_same_uuid(entry->replaced[0], cw_no_uuid);
}

bool cw_ledger_is_replaced(const struct cw_ledger_host *entry, const u8 *boot)
{
	u32 i;

	for (i = 0; i < CW_LEDGER_REPLACED; i++)
		if (cw_same_uuid(entry->replaced[i], boot))
			return true;
	return false;
}

/* The entry that a full ledger drops for a new one. NULL: none. */
static struct cw_ledger_host *cw_ledger_longest_away(const struct cw_ledger *ledger)
{
	struct cw_ledger_host *found = NULL;
	u32 i;

	for (i = 0; i < ledger->count; i++) {
		struct cw_ledger_host *entry = &ledger->hosts[i];

		if (!cw_ledger_is_owner(entry) && !entry->evicted &&
		    (!found || entry->seen < found->seen))
			found = entry;
	}
	return found;
}

static struct cw_ledger_host *cw_ledger_find_or_add(struct cw_ledger *ledger, const u8 *host)
{
	struct cw_ledger_host *entry = cw_ledger_find(ledger, host);

	if (entry)
		return entry;
	if (ledger->count < ledger->room)
		entry = &ledger->hosts[ledger->count++];
	else
		entry = cw_ledger_longest_away(ledger);
	if (entry) {
		memset(entry, 0, sizeof(*entry));
		memcpy(entry->host, host, CW_WIRE_UUID);
	}
	return entry;
}

/* Sets a new boot. If the entry has CW_LEDGER_REPLACED replaced boots, it drops the oldest one. */
static void cw_ledger_replace_boot(struct cw_ledger_host *entry, const u8 *boot)
{
	if (!cw_same_uuid(entry->boot, cw_no_uuid)) {
		memmove(entry->replaced[1], entry->replaced[0],
			sizeof(entry->replaced) - sizeof(entry->replaced[0]));
		memcpy(entry->replaced[0], entry->boot, CW_WIRE_UUID);
	}
	memcpy(entry->boot, boot, CW_WIRE_UUID);
}

struct cw_ledger_host *cw_ledger_set_owner(struct cw_ledger *ledger, const struct cw_owner *owner,
					   u64 epoch)
{
	struct cw_ledger_host *entry = cw_ledger_find_or_add(ledger, owner->host);

	if (!entry)
		return NULL;
	if (!cw_same_uuid(entry->boot, owner->boot))
		cw_ledger_replace_boot(entry, owner->boot);
	memcpy(entry->session, owner->session, CW_WIRE_UUID);
	entry->serial = owner->serial;
	entry->newest = epoch;
	/* A copy of the client from before this login is older, and must not return. */
	entry->confirmed = epoch;
	return entry;
}

void cw_ledger_clear_owner(struct cw_ledger_host *entry)
{
	memset(entry->session, 0, CW_WIRE_UUID);
}

struct cw_ledger_host *cw_ledger_evict(struct cw_ledger *ledger, const u8 *host)
{
	struct cw_ledger_host *entry = cw_ledger_find_or_add(ledger, host);

	if (!entry)
		return NULL;
	entry->evicted = true;
	cw_ledger_clear_owner(entry);
	return entry;
}

void cw_ledger_readmit(struct cw_ledger_host *entry)
{
	entry->evicted = false;
	memset(entry->replaced, 0, sizeof(entry->replaced));
}

bool cw_ledger_copy(struct cw_ledger *to, const struct cw_ledger *from)
{
	struct cw_ledger_host *hosts = to->hosts;
	u32 room = to->room;

	if (from->count > room)
		return false;
	*to = *from;
	to->hosts = hosts;
	to->room = room;
	memcpy(hosts, from->hosts, from->count * sizeof(*hosts));
	return true;
}
