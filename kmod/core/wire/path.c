// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
/*
 * Messages of a session with several paths (PROTOCOL, section 7).
 */
#include "grants.h"

#define SHARED_FEATURES (CW_FEATURE_PATHS | CW_FEATURE_CRC) /* the same on all paths of a session */

int cw_parse_join(const void *data, size_t len, struct cw_join *out)
{
	struct cw_wire_join rec;
	struct cw_shape wish;
	u64 epoch;
	int err;

	if (len != sizeof(rec))
		return -EPROTO;
	memcpy(&rec, data, sizeof(rec));
	err = cw_check_version(rec.magic, rec.version);
	if (err)
		return err;

	epoch = __le64_to_cpu(rec.epoch);
	wish = (struct cw_shape) {
		.queues = __le16_to_cpu(rec.queues),
		.depth = __le16_to_cpu(rec.depth),
		.inline_size = __le32_to_cpu(rec.inline_size),
		.max_io = __le32_to_cpu(rec.max_io),
		.area = __le16_to_cpu(rec.area),
		.messages = __le16_to_cpu(rec.messages),
	};
	if (rec.path >= CW_WIRE_PATHS || !epoch || !cw_valid_uuid(rec.host) ||
	    !cw_valid_uuid(rec.boot) || !cw_valid_uuid(rec.session) || !cw_take_wishes(&wish) ||
	    !cw_join_tag(rec.nonce) ||
	    !cw_is_zero(rec.reserved, sizeof(rec.reserved)))
		return -EPROTO;

	memcpy(out->mac, rec.mac, sizeof(out->mac));
	out->path = rec.path;
	out->features = __le64_to_cpu(rec.features);
	memcpy(out->host, rec.host, sizeof(out->host));
	memcpy(out->boot, rec.boot, sizeof(out->boot));
	memcpy(out->session, rec.session, sizeof(out->session));
	out->epoch = epoch;
	memcpy(out->nonce, rec.nonce, sizeof(out->nonce));
	out->queues = wish.queues;
	out->depth = wish.depth;
	out->inline_size = wish.inline_size;
	out->max_io = wish.max_io;
	out->area = wish.area;
	out->messages = wish.messages;
	return 0;
}

void cw_pack_join(struct cw_wire_join *rec, const struct cw_join *join)
{
	memset(rec, 0, sizeof(*rec));
	memcpy(rec->mac, join->mac, sizeof(rec->mac));
	rec->magic = __cpu_to_le32(CW_WIRE_MAGIC);
	rec->version = __cpu_to_le16(CW_WIRE_VERSION);
	rec->path = join->path;
	rec->features = __cpu_to_le64(join->features);
	memcpy(rec->host, join->host, sizeof(rec->host));
	memcpy(rec->boot, join->boot, sizeof(rec->boot));
	memcpy(rec->session, join->session, sizeof(rec->session));
	rec->epoch = __cpu_to_le64(join->epoch);
	memcpy(rec->nonce, join->nonce, sizeof(rec->nonce));
	rec->queues = __cpu_to_le16(join->queues);
	rec->depth = __cpu_to_le16(join->depth);
	rec->inline_size = __cpu_to_le32(join->inline_size);
	rec->max_io = __cpu_to_le32(join->max_io);
	rec->area = __cpu_to_le16(join->area);
	rec->messages = __cpu_to_le16(join->messages);
}

static bool cw_valid_joined(const struct cw_joined *j, const struct cw_join *wish, u64 chosen)
{
	const struct cw_shape granted = {
		.queues = j->queues,
		.depth = j->depth,
		.inline_size = j->inline_size,
		.max_io = j->max_io,
		.area = j->area,
		.messages = j->messages,
	};
	const struct cw_shape wished = {
		.queues = wish->queues,
		.depth = wish->depth,
		.inline_size = wish->inline_size,
		.max_io = wish->max_io,
		.area = wish->area,
	};

	return j->number && j->path == wish->path && j->epoch == wish->epoch &&
	       !(j->features & ~wish->features) && !((j->features ^ chosen) & SHARED_FEATURES) &&
	       cw_valid_grants(&granted, &wished) && cw_valid_times(j->probe_ms, j->dead_ms) &&
	       cw_valid_uuid(j->instance);
}

int cw_parse_joined(const void *data, size_t len, const struct cw_join *wish, u64 chosen,
		    struct cw_joined *out)
{
	struct cw_wire_joined rec;
	struct cw_joined j;

	if (len != sizeof(rec))
		return -EPROTO;
	memcpy(&rec, data, sizeof(rec));

	memset(&j, 0, sizeof(j));
	memcpy(j.mac, rec.mac, sizeof(j.mac));
	j.number = __le32_to_cpu(rec.number);
	j.queues = __le16_to_cpu(rec.queues);
	j.depth = __le16_to_cpu(rec.depth);
	j.export_id = __le16_to_cpu(rec.export_id);
	j.inline_size = __le32_to_cpu(rec.inline_size);
	j.max_io = __le32_to_cpu(rec.max_io);
	j.probe_ms = __le32_to_cpu(rec.probe_ms);
	j.dead_ms = __le32_to_cpu(rec.dead_ms);
	j.area = cw_clamp_area(__le16_to_cpu(rec.area));
	j.messages = __le16_to_cpu(rec.messages);
	j.path = rec.path;
	j.features = __le64_to_cpu(rec.features);
	j.epoch = __le64_to_cpu(rec.epoch);
	memcpy(j.instance, rec.instance, sizeof(j.instance));
	if (!cw_valid_joined(&j, wish, chosen) || rec.reserved)
		return -EPROTO;

	*out = j;
	return 0;
}

void cw_pack_joined(struct cw_wire_joined *rec, const struct cw_joined *joined)
{
	memset(rec, 0, sizeof(*rec));
	memcpy(rec->mac, joined->mac, sizeof(rec->mac));
	rec->number = __cpu_to_le32(joined->number);
	rec->queues = __cpu_to_le16(joined->queues);
	rec->depth = __cpu_to_le16(joined->depth);
	rec->inline_size = __cpu_to_le32(joined->inline_size);
	rec->max_io = __cpu_to_le32(joined->max_io);
	rec->probe_ms = __cpu_to_le32(joined->probe_ms);
	rec->dead_ms = __cpu_to_le32(joined->dead_ms);
	rec->export_id = __cpu_to_le16(joined->export_id);
	rec->area = __cpu_to_le16(joined->area);
	rec->messages = __cpu_to_le16(joined->messages);
	rec->path = joined->path;
	rec->features = __cpu_to_le64(joined->features);
	rec->epoch = __cpu_to_le64(joined->epoch);
	memcpy(rec->instance, joined->instance, sizeof(rec->instance));
}

u64 cw_join_tag(const u8 *nonce)
{
	__le64 tag = 0;

	memcpy(&tag, nonce, CW_WIRE_JOIN_TAG);
	return __le64_to_cpu(tag);
}

int cw_parse_fence(const void *data, size_t len, struct cw_incarnation *out)
{
	struct cw_wire_incarnation rec;

	if (len != sizeof(rec))
		return -EPROTO;
	memcpy(&rec, data, sizeof(rec));
	if (rec.path >= CW_WIRE_PATHS || !rec.epoch)
		return -EPROTO;

	out->path = rec.path;
	out->tag = cw_join_tag(rec.tag);
	out->epoch = __le64_to_cpu(rec.epoch);
	return 0;
}

int cw_parse_incarnation(const void *data, size_t len, struct cw_incarnation *out)
{
	struct cw_incarnation incarnation;
	int err = cw_parse_fence(data, len, &incarnation);

	if (err || incarnation.tag)
		return -EPROTO;
	*out = incarnation;
	return 0;
}

void cw_pack_incarnation(struct cw_wire_incarnation *rec, const struct cw_incarnation *which)
{
	__le64 tag = __cpu_to_le64(which->tag);

	memset(rec, 0, sizeof(*rec));
	rec->path = which->path;
	memcpy(rec->tag, &tag, sizeof(rec->tag));
	rec->epoch = __cpu_to_le64(which->epoch);
}
