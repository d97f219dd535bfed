// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
/*
 * Encoding and decoding of a ledger's image. A file may be torn, foreign or forged, so every value
 * is checked before the image is used.
 */
#ifdef __KERNEL__
#include <linux/build_bug.h>
#include <linux/stddef.h>
#else
#include <assert.h>
#include <stddef.h>
#endif

#include "../wire/bytes.h"
#include "ledger_image.h"

#define CW_LEDGER_OUTDATED 1U
#define CW_LEDGER_EVICTED 1U

struct cw_ledger_header {
	__le64 magic;
	__le32 crc; /* of all bytes behind this field, to the end of the last record */
	__le32 version;
	__le32 count;
	__le32 flags;
	__le64 generation;
	u8 uuid[CW_WIRE_UUID];
	u8 identity[CW_WIRE_UUID];
	u8 secret[CW_LEDGER_SECRET];
	u8 reserved[32];
};

struct cw_ledger_record {
	u8 host[CW_WIRE_UUID];
	u8 boot[CW_WIRE_UUID];
	u8 session[CW_WIRE_UUID];
	__le64 serial;
	__le64 newest;
	__le64 confirmed;
	__le64 seen;
	__le32 flags;
	__le32 dead_ms;
	u8 replaced[CW_LEDGER_REPLACED][CW_WIRE_UUID];
};

static_assert(sizeof(struct cw_ledger_header) == CW_LEDGER_HEADER, "header of a ledger");
static_assert(sizeof(struct cw_ledger_record) == CW_LEDGER_RECORD, "record of a ledger");

size_t cw_ledger_image_size(u32 count)
{
	return CW_LEDGER_HEADER + (size_t)count * CW_LEDGER_RECORD;
}

static void cw_ledger_encode_host(u8 *image, const struct cw_ledger_host *host)
{
	struct cw_ledger_record record;

	memset(&record, 0, sizeof(record));
	memcpy(record.host, host->host, CW_WIRE_UUID);
	memcpy(record.boot, host->boot, CW_WIRE_UUID);
	memcpy(record.session, host->session, CW_WIRE_UUID);
	record.serial = __cpu_to_le64(host->serial);
	record.newest = __cpu_to_le64(host->newest);
	record.confirmed = __cpu_to_le64(host->confirmed);
	record.seen = __cpu_to_le64(host->seen);
	record.flags = __cpu_to_le32(host->evicted ? CW_LEDGER_EVICTED : 0);
	record.dead_ms = __cpu_to_le32(host->dead_ms);
	memcpy(record.replaced, host->replaced, sizeof(record.replaced));
	memcpy(image, &record, sizeof(record));
}

/* The checksum of an image with @count hosts. */
static u32 cw_ledger_crc(const u8 *image, u32 count, cw_crc32c_fn crc32c)
{
	const size_t from = offsetof(struct cw_ledger_header, version);

	return crc32c(image + from, cw_ledger_image_size(count) - from);
}

void cw_ledger_encode(u8 *image, const struct cw_ledger *ledger, cw_crc32c_fn crc32c)
{
	struct cw_ledger_header header;
	u32 i;

	memset(&header, 0, sizeof(header));
	header.magic = __cpu_to_le64(CW_LEDGER_MAGIC);
	header.version = __cpu_to_le32(CW_LEDGER_VERSION);
	header.count = __cpu_to_le32(ledger->count);
	header.generation = __cpu_to_le64(ledger->generation);
	header.flags = __cpu_to_le32(ledger->outdated ? CW_LEDGER_OUTDATED : 0);
	memcpy(header.uuid, ledger->uuid, CW_WIRE_UUID);
	memcpy(header.identity, ledger->identity, CW_WIRE_UUID);
	memcpy(header.secret, ledger->secret, CW_LEDGER_SECRET);
	memcpy(image, &header, sizeof(header));
	for (i = 0; i < ledger->count; i++)
		cw_ledger_encode_host(image + cw_ledger_image_size(i), &ledger->hosts[i]);
	header.crc = __cpu_to_le32(cw_ledger_crc(image, ledger->count, crc32c));
	memcpy(image, &header, sizeof(header));
}

static bool cw_ledger_valid_replaced(const struct cw_ledger_host *host)
{
	bool end = false;
	u32 i;

	for (i = 0; i < CW_LEDGER_REPLACED; i++) {
		bool none = cw_is_zero(host->replaced[i], CW_WIRE_UUID);

		if ((end && !none) || (!none && cw_same_uuid(host->replaced[i], host->boot)))
			return false;
		end |= none;
	}
	return true;
}

static bool cw_ledger_valid_host(const struct cw_ledger_host *host)
{
	bool booted = !cw_is_zero(host->boot, CW_WIRE_UUID);

	if (cw_is_zero(host->host, CW_WIRE_UUID) || !cw_ledger_valid_replaced(host))
		return false;
	if (host->confirmed > host->newest || host->dead_ms > CW_WIRE_DEAD_MAX)
		return false;
	if (!booted)
		return !cw_ledger_is_owner(host) && !host->serial && !host->newest;
	/* An evicted host is no owner. */
	return host->serial && host->newest && !(host->evicted && cw_ledger_is_owner(host));
}

/* Decodes the record of a host. False: it has a value that no server writes. */
static bool cw_ledger_decode_host(struct cw_ledger_host *host, const u8 *image)
{
	struct cw_ledger_record record;
	u32 flags;

	memcpy(&record, image, sizeof(record));
	flags = __le32_to_cpu(record.flags);
	if (flags & ~CW_LEDGER_EVICTED)
		return false;
	memset(host, 0, sizeof(*host));
	memcpy(host->host, record.host, CW_WIRE_UUID);
	memcpy(host->boot, record.boot, CW_WIRE_UUID);
	memcpy(host->session, record.session, CW_WIRE_UUID);
	host->serial = __le64_to_cpu(record.serial);
	host->newest = __le64_to_cpu(record.newest);
	host->confirmed = __le64_to_cpu(record.confirmed);
	host->seen = __le64_to_cpu(record.seen);
	host->evicted = flags & CW_LEDGER_EVICTED;
	host->dead_ms = __le32_to_cpu(record.dead_ms);
	memcpy(host->replaced, record.replaced, sizeof(record.replaced));
	return cw_ledger_valid_host(host);
}

/* Decodes all records. False: one has a value that no server writes, or a host has two. */
static bool cw_ledger_decode_hosts(struct cw_ledger *ledger, const u8 *image, u32 count)
{
	ledger->count = 0;
	while (ledger->count < count) {
		struct cw_ledger_host *host = &ledger->hosts[ledger->count];

		if (!cw_ledger_decode_host(host, image + cw_ledger_image_size(ledger->count)) ||
		    cw_ledger_find(ledger, host->host))
			return false;
		ledger->count++;
	}
	return true;
}

enum cw_ledger_fault cw_ledger_decode(struct cw_ledger *out, const u8 *image, size_t len,
				      cw_crc32c_fn crc32c)
{
	struct cw_ledger ledger = {.room = out->room, .hosts = out->hosts};
	struct cw_ledger_header header;
	u32 count, flags;

	if (len < sizeof(header))
		return CW_LEDGER_SHORT;
	memcpy(&header, image, sizeof(header));
	if (__le64_to_cpu(header.magic) != CW_LEDGER_MAGIC)
		return CW_LEDGER_NO_MAGIC;
	if (__le32_to_cpu(header.version) != CW_LEDGER_VERSION)
		return CW_LEDGER_OTHER_VERSION;
	count = __le32_to_cpu(header.count);
	if (count > CW_LEDGER_HOSTS_MAX)
		return CW_LEDGER_INVALID;
	if (cw_ledger_image_size(count) > len)
		return CW_LEDGER_SHORT;
	if (__le32_to_cpu(header.crc) != cw_ledger_crc(image, count, crc32c))
		return CW_LEDGER_TORN;
	flags = __le32_to_cpu(header.flags);
	ledger.generation = __le64_to_cpu(header.generation);
	ledger.outdated = flags & CW_LEDGER_OUTDATED;
	memcpy(ledger.uuid, header.uuid, CW_WIRE_UUID);
	memcpy(ledger.identity, header.identity, CW_WIRE_UUID);
	memcpy(ledger.secret, header.secret, CW_LEDGER_SECRET);
	if (flags & ~CW_LEDGER_OUTDATED || !ledger.generation ||
	    ledger.generation == ~0ULL || /* the next generation would be 0 */
	    !cw_is_zero(header.reserved, sizeof(header.reserved)) ||
	    cw_is_zero(ledger.uuid, CW_WIRE_UUID) || cw_is_zero(ledger.identity, CW_WIRE_UUID))
		return CW_LEDGER_INVALID;
	if (count > ledger.room)
		return CW_LEDGER_ROOM;
	if (!cw_ledger_decode_hosts(&ledger, image, count))
		return CW_LEDGER_INVALID;
	*out = ledger;
	return CW_LEDGER_GOOD;
}

const char *cw_ledger_fault_text(enum cw_ledger_fault fault)
{
	switch (fault) {
	case CW_LEDGER_GOOD:
		return "it is sound";
	case CW_LEDGER_SHORT:
		return "it is shorter than its header says";
	case CW_LEDGER_NO_MAGIC:
		return "it is not a ledger";
	case CW_LEDGER_OTHER_VERSION:
		return "another version of Causeway wrote it";
	case CW_LEDGER_TORN:
		return "its checksum is wrong";
	case CW_LEDGER_INVALID:
		return "it has a value that no server writes";
	case CW_LEDGER_ROOM:
		return "it has more hosts than this server can keep";
	}
	return "the reason is unknown";
}
