// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
/*
 * Control messages: login, discovery, notices (PROTOCOL, sections 4 and 5).
 *
 * A UUID that is all zero is none and refused: a fence that compares hosts, or a client that
 * compares disks, must not take two unknown ones for the same. Fields that a message of this kind
 * does not use are zero like reserved ones, and the pack functions send them so.
 */
#include "bytes.h"

/*
 * Bytes that look the same in every version of the structs that have them: what to say of another
 * one.
 */
static int check_version(__le32 magic, __le16 version)
{
	if (__le32_to_cpu(magic) != CW_WIRE_MAGIC || !version)
		return -EPROTO;
	return __le16_to_cpu(version) == CW_WIRE_VERSION ? 0 : -EPROTONOSUPPORT;
}

static bool valid_uuid(const u8 uuid[CW_WIRE_UUID])
{
	return !cw_is_zero(uuid, CW_WIRE_UUID);
}

/* Inline data comes in whole pages or not at all, and a command can always carry one page. */
static bool valid_sizes(u32 inline_size, u32 max_io)
{
	return inline_size % CW_WIRE_PAGE == 0 && max_io && max_io % CW_WIRE_PAGE == 0;
}

/* What an end takes on a data link. Its peer uses no more than it knows of. */
static bool valid_receives(u16 area, u16 messages)
{
	return area && messages >= CW_WIRE_MESSAGES_MIN && messages <= CW_WIRE_MESSAGES_MAX;
}

static u32 at_most(u32 n, u32 max)
{
	return n < max ? n : max;
}

bool cw_valid_name(const char *name, size_t size)
{
	size_t i, len = strnlen(name, size);

	if (!len || len >= CW_WIRE_NAME || name[0] == '.' || name[0] == '-')
		return false;
	for (i = 0; i < len; i++) {
		char c = name[i];

		/* No ctype: it would know letters that are not ASCII. */
		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '.' || c == '_' || c == '-' || c == ':'))
			return false;
	}
	return true;
}

/*
 * Features that this version does not know may be offered and even be required; the server answers
 * the latter with FEATURE, which is more than a malformed message would tell.
 */
int cw_parse_hello(const void *data, size_t len, struct cw_hello *out)
{
	struct cw_wire_hello rec;
	u64 offered, required;
	u32 inline_size, max_io;
	u16 flags, queues, depth, area, messages;
	char name[CW_WIRE_NAME];
	int err;

	if (len != sizeof(rec))
		return -EPROTO;
	memcpy(&rec, data, sizeof(rec));
	err = check_version(rec.magic, rec.version);
	if (err)
		return err;

	flags = __le16_to_cpu(rec.flags);
	offered = __le64_to_cpu(rec.features_offered);
	required = __le64_to_cpu(rec.features_required);
	queues = __le16_to_cpu(rec.queues);
	depth = __le16_to_cpu(rec.depth);
	inline_size = __le32_to_cpu(rec.inline_size);
	max_io = __le32_to_cpu(rec.max_io);
	area = (u16)at_most(__le16_to_cpu(rec.area), CW_WIRE_AREA_MAX);
	messages = __le16_to_cpu(rec.messages);
	if (flags & ~CW_HELLO_KEY || required & ~offered || !queues || !depth ||
	    !valid_sizes(inline_size, max_io) || !valid_receives(area, messages))
		return -EPROTO;
	if (!valid_uuid(rec.host) || !valid_uuid(rec.boot) || !valid_uuid(rec.session) ||
	    !cw_take_name(name, rec.export_name))
		return -EPROTO;

	out->flags = flags;
	out->features_offered = offered;
	out->features_required = required;
	memcpy(out->host, rec.host, sizeof(out->host));
	memcpy(out->boot, rec.boot, sizeof(out->boot));
	memcpy(out->session, rec.session, sizeof(out->session));
	out->epoch = __le64_to_cpu(rec.epoch);
	memcpy(out->nonce, rec.nonce, sizeof(out->nonce));
	memcpy(out->export_name, name, sizeof(out->export_name));
	cw_take_text(out->host_name, rec.host_name, sizeof(out->host_name));
	out->queues = (u16)at_most(queues, CW_WIRE_QUEUES_MAX);
	out->depth = (u16)at_most(depth, CW_WIRE_DEPTH_MAX);
	out->inline_size = at_most(inline_size, CW_WIRE_INLINE_MAX);
	out->max_io = at_most(max_io, CW_WIRE_IO_MAX);
	out->area = area;
	out->messages = messages;
	return 0;
}

void cw_pack_hello(struct cw_wire_hello *rec, const struct cw_hello *hello)
{
	memset(rec, 0, sizeof(*rec));
	rec->magic = __cpu_to_le32(CW_WIRE_MAGIC);
	rec->version = __cpu_to_le16(CW_WIRE_VERSION);
	rec->flags = __cpu_to_le16(hello->flags);
	rec->features_offered = __cpu_to_le64(hello->features_offered);
	rec->features_required = __cpu_to_le64(hello->features_required);
	memcpy(rec->host, hello->host, sizeof(rec->host));
	memcpy(rec->boot, hello->boot, sizeof(rec->boot));
	memcpy(rec->session, hello->session, sizeof(rec->session));
	rec->epoch = __cpu_to_le64(hello->epoch);
	memcpy(rec->nonce, hello->nonce, sizeof(rec->nonce));
	cw_put_text(rec->export_name, hello->export_name, sizeof(rec->export_name));
	cw_put_text(rec->host_name, hello->host_name, sizeof(rec->host_name));
	rec->queues = __cpu_to_le16(hello->queues);
	rec->depth = __cpu_to_le16(hello->depth);
	rec->inline_size = __cpu_to_le32(hello->inline_size);
	rec->max_io = __cpu_to_le32(hello->max_io);
	rec->area = __cpu_to_le16(hello->area);
	rec->messages = __cpu_to_le16(hello->messages);
}

int cw_parse_challenge(const void *data, size_t len, u64 offered, struct cw_challenge *out)
{
	struct cw_wire_challenge rec;
	u64 features;
	u16 flags;
	int err;

	if (len != sizeof(rec))
		return -EPROTO;
	memcpy(&rec, data, sizeof(rec));
	err = check_version(rec.magic, rec.version);
	if (err)
		return err;

	flags = __le16_to_cpu(rec.flags);
	features = __le64_to_cpu(rec.features);
	if (flags & ~CW_CHALLENGE_KEY || features & ~offered || !valid_uuid(rec.instance))
		return -EPROTO;

	out->flags = flags;
	out->features = features;
	memcpy(out->instance, rec.instance, sizeof(out->instance));
	memcpy(out->nonce, rec.nonce, sizeof(out->nonce));
	return 0;
}

void cw_pack_challenge(struct cw_wire_challenge *rec, const struct cw_challenge *challenge)
{
	memset(rec, 0, sizeof(*rec));
	rec->magic = __cpu_to_le32(CW_WIRE_MAGIC);
	rec->version = __cpu_to_le16(CW_WIRE_VERSION);
	rec->flags = __cpu_to_le16(challenge->flags);
	rec->features = __cpu_to_le64(challenge->features);
	memcpy(rec->instance, challenge->instance, sizeof(rec->instance));
	memcpy(rec->nonce, challenge->nonce, sizeof(rec->nonce));
}

int cw_parse_proof(const void *data, size_t len, u8 mac[CW_WIRE_MAC])
{
	if (len != sizeof(struct cw_wire_proof))
		return -EPROTO;
	memcpy(mac, data, CW_WIRE_MAC);
	return 0;
}

/* Grants: at least something of each, and nothing beyond the wish or the protocol's own maximum. */
static bool valid_grants(const struct cw_welcome *w, const struct cw_hello *wish)
{
	return w->queues && w->queues <= at_most(wish->queues, CW_WIRE_QUEUES_MAX) && w->depth &&
	       w->depth <= at_most(wish->depth, CW_WIRE_DEPTH_MAX) &&
	       valid_sizes(w->inline_size, w->max_io) &&
	       w->inline_size <= at_most(wish->inline_size, CW_WIRE_INLINE_MAX) &&
	       w->inline_size <= at_most(wish->area, w->area) * CW_WIRE_PAGE &&
	       w->max_io <= at_most(wish->max_io, CW_WIRE_IO_MAX);
}

int cw_parse_welcome(const void *data, size_t len, const struct cw_hello *wish,
		     struct cw_welcome *out)
{
	struct cw_wire_welcome rec;
	struct cw_welcome w;
	int err;

	if (len != sizeof(rec))
		return -EPROTO;
	memcpy(&rec, data, sizeof(rec));

	memset(&w, 0, sizeof(w));
	memcpy(w.mac, rec.mac, sizeof(w.mac));
	w.session = __le32_to_cpu(rec.session);
	w.queues = __le16_to_cpu(rec.queues);
	w.depth = __le16_to_cpu(rec.depth);
	w.export_id = __le16_to_cpu(rec.export_id);
	w.inline_size = __le32_to_cpu(rec.inline_size);
	w.max_io = __le32_to_cpu(rec.max_io);
	w.probe_ms = __le32_to_cpu(rec.probe_ms);
	w.dead_ms = __le32_to_cpu(rec.dead_ms);
	w.area = (u16)at_most(__le16_to_cpu(rec.area), CW_WIRE_AREA_MAX);
	w.messages = __le16_to_cpu(rec.messages);
	memcpy(w.identity, rec.identity, sizeof(w.identity));

	/* A link must be given the time to answer its probe. */
	if (!w.session || !w.probe_ms || w.dead_ms <= w.probe_ms ||
	    w.dead_ms > CW_WIRE_DEAD_MAX || !valid_uuid(w.identity) ||
	    !valid_grants(&w, wish) || !valid_receives(w.area, w.messages) ||
	    !cw_is_zero(rec.reserved, sizeof(rec.reserved)))
		return -EPROTO;
	err = cw_parse_geometry(&rec.geometry, &w.geo);
	if (err)
		return err;

	*out = w;
	return 0;
}

void cw_pack_welcome(struct cw_wire_welcome *rec, const struct cw_welcome *welcome)
{
	memset(rec, 0, sizeof(*rec));
	memcpy(rec->mac, welcome->mac, sizeof(rec->mac));
	rec->session = __cpu_to_le32(welcome->session);
	rec->queues = __cpu_to_le16(welcome->queues);
	rec->depth = __cpu_to_le16(welcome->depth);
	rec->inline_size = __cpu_to_le32(welcome->inline_size);
	rec->max_io = __cpu_to_le32(welcome->max_io);
	rec->probe_ms = __cpu_to_le32(welcome->probe_ms);
	rec->dead_ms = __cpu_to_le32(welcome->dead_ms);
	rec->export_id = __cpu_to_le16(welcome->export_id);
	rec->area = __cpu_to_le16(welcome->area);
	rec->messages = __cpu_to_le16(welcome->messages);
	memcpy(rec->identity, welcome->identity, sizeof(rec->identity));
	cw_pack_geometry(&rec->geometry, &welcome->geo);
}

int cw_parse_refused(const void *data, size_t len, struct cw_refused *out)
{
	struct cw_wire_refused rec;
	u16 reason;
	u64 epoch;

	if (len != sizeof(rec))
		return -EPROTO;
	memcpy(&rec, data, sizeof(rec));

	reason = __le16_to_cpu(rec.reason);
	epoch = __le64_to_cpu(rec.epoch);
	if (!cw_valid_reason(reason) || !cw_is_zero(rec.reserved, sizeof(rec.reserved)) ||
	    (epoch && reason != CW_REFUSED_STALE))
		return -EPROTO;

	out->reason = reason;
	out->epoch = epoch;
	cw_take_text(out->text, rec.text, sizeof(out->text));
	return 0;
}

void cw_pack_refused(struct cw_wire_refused *rec, const struct cw_refused *refused)
{
	memset(rec, 0, sizeof(*rec));
	rec->reason = __cpu_to_le16(refused->reason);
	if (refused->reason == CW_REFUSED_STALE)
		rec->epoch = __cpu_to_le64(refused->epoch);
	cw_put_text(rec->text, refused->text, sizeof(rec->text));
}

int cw_parse_discover(const void *data, size_t len, struct cw_discover *out)
{
	struct cw_wire_discover rec;
	int err;

	if (len != sizeof(rec))
		return -EPROTO;
	memcpy(&rec, data, sizeof(rec));
	err = check_version(rec.magic, rec.version);
	if (err)
		return err;
	if (!cw_is_zero(rec.reserved, sizeof(rec.reserved)) || rec.reserved1)
		return -EPROTO;

	out->first = __le32_to_cpu(rec.first);
	return 0;
}

/*
 * An empty message is a server without exports. How many follow is said in every record, and said
 * the same.
 */
int cw_parse_export(const void *data, size_t len, size_t i, struct cw_export_info *out)
{
	const u8 *p = data;
	struct cw_wire_export rec, first;
	char name[CW_WIRE_NAME];
	u32 logical_block;
	u16 flags;
	u64 size;

	if (len % sizeof(rec))
		return -EPROTO;
	if (i >= len / sizeof(rec))
		return -ENOENT;
	memcpy(&first, p, sizeof(first));
	memcpy(&rec, p + i * sizeof(rec), sizeof(rec));

	size = __le64_to_cpu(rec.size);
	logical_block = __le32_to_cpu(rec.logical_block);
	flags = __le16_to_cpu(rec.flags);
	if (flags & ~CW_EXPORT_FLAGS || !cw_valid_block(logical_block) ||
	    !cw_valid_size(size, logical_block) || rec.more != first.more ||
	    !valid_uuid(rec.identity) || !cw_take_name(name, rec.name))
		return -EPROTO;

	memcpy(out->name, name, sizeof(out->name));
	memcpy(out->identity, rec.identity, sizeof(out->identity));
	out->size = size;
	out->logical_block = logical_block;
	out->flags = flags;
	out->more = __le16_to_cpu(rec.more);
	return 0;
}

void cw_pack_export(struct cw_wire_export *rec, const struct cw_export_info *info)
{
	memset(rec, 0, sizeof(*rec));
	cw_put_text(rec->name, info->name, sizeof(rec->name));
	memcpy(rec->identity, info->identity, sizeof(rec->identity));
	rec->size = __cpu_to_le64(info->size);
	rec->logical_block = __cpu_to_le32(info->logical_block);
	rec->flags = __cpu_to_le16(info->flags);
	rec->more = __cpu_to_le16(info->more);
}

int cw_parse_notice(const void *data, size_t len, struct cw_notice *out)
{
	struct cw_wire_notice rec;
	struct cw_geometry geo;
	u16 kind, flags;
	int err;

	if (len != sizeof(rec))
		return -EPROTO;
	memcpy(&rec, data, sizeof(rec));

	kind = __le16_to_cpu(rec.kind);
	flags = __le16_to_cpu(rec.flags);
	if (flags & ~CW_NOTICE_FLUSHED || !cw_is_zero(rec.reserved, sizeof(rec.reserved)))
		return -EPROTO;

	memset(&geo, 0, sizeof(geo));
	switch (kind) {
	case CW_NOTICE_GEOMETRY:
		err = cw_parse_geometry(&rec.geometry, &geo);
		if (err)
			return err;
		break;
	case CW_NOTICE_GONE:
	case CW_NOTICE_STOPPING:
		if (!cw_is_zero(&rec.geometry, sizeof(rec.geometry)))
			return -EPROTO;
		break;
	default:
		return -EPROTO;
	}

	out->kind = kind;
	out->flags = flags;
	out->geo = geo;
	return 0;
}

void cw_pack_notice(struct cw_wire_notice *rec, const struct cw_notice *notice)
{
	memset(rec, 0, sizeof(*rec));
	rec->kind = __cpu_to_le16(notice->kind);
	rec->flags = __cpu_to_le16(notice->flags);
	if (notice->kind == CW_NOTICE_GEOMETRY)
		cw_pack_geometry(&rec->geometry, &notice->geo);
}
