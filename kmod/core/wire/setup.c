// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
/*
 * Connection set-up: the private data of request, acceptance and rejection (PROTOCOL, section 2).
 *
 * The connection manager pads private data, so a longer buffer is no error, and the bytes behind
 * the struct are ignored.
 *
 * The magic and the versions of a request are checked first. They have the same place in every
 * version of the protocol, and a client of another version must get VERSION, not MALFORMED. The
 * session checks whether the index is below the granted queues, and whether the token is right.
 */
#include "bytes.h"

/* The part of a request that all versions have in common. */
struct request_start {
	__le32 magic;
	__le16 version_min, version_max;
};

static bool cw_valid_versions(u16 min, u16 max)
{
	return min && min <= max;
}

static bool cw_valid_link(u8 kind, u8 transport)
{
	return (kind == CW_KIND_CONTROL || kind == CW_KIND_DATA) && cw_known_transport(transport);
}

int cw_parse_versions(const void *data, size_t len, struct cw_versions *out)
{
	struct request_start rec;
	u16 min, max;

	if (len < sizeof(rec))
		return -EPROTO;
	memcpy(&rec, data, sizeof(rec));
	min = __le16_to_cpu(rec.version_min);
	max = __le16_to_cpu(rec.version_max);
	if (__le32_to_cpu(rec.magic) != CW_WIRE_MAGIC || !cw_valid_versions(min, max))
		return -EPROTO;

	out->min = min;
	out->max = max;
	return 0;
}

int cw_parse_req(const void *data, size_t len, struct cw_req *out)
{
	struct cw_versions versions;
	struct cw_wire_req rec;
	u16 index;
	u32 number;
	int err;

	err = cw_parse_versions(data, len, &versions);
	if (err)
		return err;
	if (versions.min > CW_WIRE_VERSION || versions.max < CW_WIRE_VERSION)
		return -EPROTONOSUPPORT;
	if (len < sizeof(rec))
		return -EPROTO;
	memcpy(&rec, data, sizeof(rec));

	index = __le16_to_cpu(rec.index);
	number = __le32_to_cpu(rec.number);
	if (!cw_valid_link(rec.kind, rec.transport) ||
	    !cw_is_zero(rec.reserved0, sizeof(rec.reserved0)))
		return -EPROTO;
	if (rec.kind == CW_KIND_CONTROL) {
		if (index || number || !cw_is_zero(rec.token, sizeof(rec.token)))
			return -EPROTO;
	} else if (index >= CW_WIRE_QUEUES_MAX || !number) {
		return -EPROTO;
	}

	out->version = CW_WIRE_VERSION;
	out->kind = rec.kind;
	out->transport = rec.transport;
	out->index = index;
	out->number = number;
	memcpy(out->token, rec.token, sizeof(out->token));
	return 0;
}

int cw_parse_rep(const void *data, size_t len, struct cw_rep *out)
{
	struct cw_wire_rep rec;
	u16 version, index;

	if (len < sizeof(rec))
		return -EPROTO;
	memcpy(&rec, data, sizeof(rec));

	/*
	 * A version that the request did not offer breaks the protocol, like any other wrong
	 * acceptance.
	 */
	version = __le16_to_cpu(rec.version);
	if (__le32_to_cpu(rec.magic) != CW_WIRE_MAGIC || version != CW_WIRE_VERSION)
		return -EPROTO;

	index = __le16_to_cpu(rec.index);
	if (!cw_valid_link(rec.kind, rec.transport) ||
	    !cw_is_zero(rec.reserved0, sizeof(rec.reserved0)))
		return -EPROTO;
	if (rec.kind == CW_KIND_CONTROL ? index :
	    index >= CW_WIRE_QUEUES_MAX || !cw_is_zero(rec.nonce, sizeof(rec.nonce)))
		return -EPROTO;

	out->version = version;
	out->kind = rec.kind;
	out->transport = rec.transport;
	out->index = index;
	memcpy(out->nonce, rec.nonce, sizeof(out->nonce));
	return 0;
}

int cw_parse_rej(const void *data, size_t len, struct cw_rej *out)
{
	struct cw_wire_rej rec;
	u16 min, max, reason;

	if (len < sizeof(rec))
		return -EPROTO;
	memcpy(&rec, data, sizeof(rec));

	min = __le16_to_cpu(rec.version_min);
	max = __le16_to_cpu(rec.version_max);
	reason = __le16_to_cpu(rec.reason);
	if (__le32_to_cpu(rec.magic) != CW_WIRE_MAGIC || !cw_valid_versions(min, max) ||
	    !cw_valid_reason(reason) || !cw_is_zero(rec.reserved0, sizeof(rec.reserved0)))
		return -EPROTO;

	out->version_min = min;
	out->version_max = max;
	out->reason = reason;
	return 0;
}

/* Fields that a kind of link does not have are sent as zero, whatever the caller left in them. */

void cw_pack_req(struct cw_wire_req *rec, const struct cw_req *req)
{
	memset(rec, 0, sizeof(*rec));
	rec->magic = __cpu_to_le32(CW_WIRE_MAGIC);
	rec->version_min = __cpu_to_le16(req->version);
	rec->version_max = __cpu_to_le16(req->version);
	rec->kind = req->kind;
	rec->transport = req->transport;
	if (req->kind == CW_KIND_CONTROL)
		return;
	rec->index = __cpu_to_le16(req->index);
	rec->number = __cpu_to_le32(req->number);
	memcpy(rec->token, req->token, sizeof(rec->token));
}

void cw_pack_rep(struct cw_wire_rep *rec, const struct cw_rep *rep)
{
	memset(rec, 0, sizeof(*rec));
	rec->magic = __cpu_to_le32(CW_WIRE_MAGIC);
	rec->version = __cpu_to_le16(rep->version);
	rec->kind = rep->kind;
	rec->transport = rep->transport;
	if (rep->kind == CW_KIND_CONTROL)
		memcpy(rec->nonce, rep->nonce, sizeof(rec->nonce));
	else
		rec->index = __cpu_to_le16(rep->index);
}

void cw_pack_rej(struct cw_wire_rej *rec, u16 reason)
{
	memset(rec, 0, sizeof(*rec));
	rec->magic = __cpu_to_le32(CW_WIRE_MAGIC);
	rec->version_min = __cpu_to_le16(CW_WIRE_VERSION);
	rec->version_max = __cpu_to_le16(CW_WIRE_VERSION);
	rec->reason = __cpu_to_le16(reason);
}
