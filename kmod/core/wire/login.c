// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
/*
 * Control messages: login, discovery, notices, probes (PROTOCOL, sections 3, 4, 8 and 9).
 *
 * A UUID of zeroes means none and is refused: a server that compares hosts, or a client that
 * compares disks, must not take two unknown ones for the same. Fields that a message does not use
 * are zero like reserved fields, and the pack functions send them so.
 */
#include "grants.h"

bool cw_valid_name(const char *name, size_t size)
{
	size_t i, len = strnlen(name, size);

	if (!len || len >= CW_WIRE_NAME || name[0] == '.' || name[0] == '-')
		return false;
	for (i = 0; i < len; i++) {
		char c = name[i];

		/* Not isalnum(), which accepts letters outside ASCII. */
		if (!((c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
		      c == '.' || c == '_' || c == '-' || c == ':'))
			return false;
	}
	return true;
}

bool cw_valid_key(const u8 *key, size_t len)
{
	return len >= CW_WIRE_KEY_MIN && len <= CW_WIRE_KEY_MAX && !cw_is_zero(key, len);
}

/* A returning session names its last login; another one must have zeroes there. */
static bool cw_valid_return(const struct cw_hello *h)
{
	if (h->flags & CW_HELLO_RETURNING)
		return h->last && h->last < h->epoch;
	return !h->last && !h->generation && cw_is_zero(h->receipt, sizeof(h->receipt));
}

/* Without the feature PATHS a session has one path. */
static bool cw_valid_path(const struct cw_hello *h)
{
	return h->path < (h->features_offered & CW_FEATURE_PATHS ? CW_WIRE_PATHS : 1);
}

static bool cw_valid_hello(const struct cw_hello *h)
{
	return !(h->flags & ~(CW_HELLO_KEY | CW_HELLO_RETURNING)) &&
	       !(h->features_required & ~h->features_offered) && h->epoch && h->serial &&
	       cw_valid_uuid(h->host) && cw_valid_uuid(h->boot) && cw_valid_uuid(h->session) &&
	       cw_valid_return(h) && cw_valid_path(h);
}

/*
 * The client may offer and even require features that this version does not know. The server
 * answers the latter with FEATURE, which is more precise than MALFORMED.
 */
int cw_parse_hello(const void *data, size_t len, struct cw_hello *out)
{
	struct cw_wire_hello rec;
	struct cw_shape wish;
	struct cw_hello h;
	int err;

	if (len != sizeof(rec))
		return -EPROTO;
	memcpy(&rec, data, sizeof(rec));
	err = cw_check_version(rec.magic, rec.version);
	if (err)
		return err;

	memset(&h, 0, sizeof(h));
	h.flags = __le16_to_cpu(rec.flags);
	h.features_offered = __le64_to_cpu(rec.features_offered);
	h.features_required = __le64_to_cpu(rec.features_required);
	memcpy(h.host, rec.host, sizeof(h.host));
	memcpy(h.boot, rec.boot, sizeof(h.boot));
	memcpy(h.session, rec.session, sizeof(h.session));
	h.epoch = __le64_to_cpu(rec.epoch);
	h.last = __le64_to_cpu(rec.last);
	h.serial = __le64_to_cpu(rec.serial);
	h.generation = __le64_to_cpu(rec.generation);
	memcpy(h.receipt, rec.receipt, sizeof(h.receipt));
	memcpy(h.nonce, rec.nonce, sizeof(h.nonce));
	cw_take_text(h.host_name, rec.host_name, sizeof(h.host_name));
	h.path = rec.path;
	wish = (struct cw_shape) {
		.queues = __le16_to_cpu(rec.queues),
		.depth = __le16_to_cpu(rec.depth),
		.inline_size = __le32_to_cpu(rec.inline_size),
		.max_io = __le32_to_cpu(rec.max_io),
		.area = __le16_to_cpu(rec.area),
		.messages = __le16_to_cpu(rec.messages),
	};
	if (!cw_valid_hello(&h) || !cw_take_wishes(&wish) ||
	    !cw_is_zero(rec.reserved, sizeof(rec.reserved)) ||
	    !cw_take_name(h.export_name, rec.export_name))
		return -EPROTO;
	h.queues = wish.queues;
	h.depth = wish.depth;
	h.inline_size = wish.inline_size;
	h.max_io = wish.max_io;
	h.area = wish.area;
	h.messages = wish.messages;

	*out = h;
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
	rec->serial = __cpu_to_le64(hello->serial);
	if (hello->flags & CW_HELLO_RETURNING) {
		rec->last = __cpu_to_le64(hello->last);
		rec->generation = __cpu_to_le64(hello->generation);
		memcpy(rec->receipt, hello->receipt, sizeof(rec->receipt));
	}
	memcpy(rec->nonce, hello->nonce, sizeof(rec->nonce));
	cw_put_text(rec->export_name, hello->export_name, sizeof(rec->export_name));
	cw_put_text(rec->host_name, hello->host_name, sizeof(rec->host_name));
	rec->queues = __cpu_to_le16(hello->queues);
	rec->depth = __cpu_to_le16(hello->depth);
	rec->inline_size = __cpu_to_le32(hello->inline_size);
	rec->max_io = __cpu_to_le32(hello->max_io);
	rec->area = __cpu_to_le16(hello->area);
	rec->messages = __cpu_to_le16(hello->messages);
	if (hello->features_offered & CW_FEATURE_PATHS)
		rec->path = hello->path;
}

int cw_parse_challenge(const void *data, size_t len, u64 offered, u64 required,
		       struct cw_challenge *out)
{
	struct cw_wire_challenge rec;
	u64 features;
	u16 flags;
	int err;

	if (len != sizeof(rec))
		return -EPROTO;
	memcpy(&rec, data, sizeof(rec));
	err = cw_check_version(rec.magic, rec.version);
	if (err)
		return err;

	flags = __le16_to_cpu(rec.flags);
	features = __le64_to_cpu(rec.features);
	if (flags & ~CW_CHALLENGE_KEY || features & ~offered || required & ~features ||
	    !cw_valid_uuid(rec.instance))
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

static bool cw_valid_welcome(const struct cw_welcome *w, const struct cw_hello *wish)
{
	const struct cw_shape granted = {
		.queues = w->queues,
		.depth = w->depth,
		.inline_size = w->inline_size,
		.max_io = w->max_io,
		.area = w->area,
		.messages = w->messages,
	};
	const struct cw_shape wished = {
		.queues = wish->queues,
		.depth = wish->depth,
		.inline_size = wish->inline_size,
		.max_io = wish->max_io,
		.area = wish->area,
	};

	return w->number && cw_valid_grants(&granted, &wished) &&
	       cw_valid_times(w->probe_ms, w->dead_ms) && cw_valid_uuid(w->identity);
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
	w.number = __le32_to_cpu(rec.number);
	w.queues = __le16_to_cpu(rec.queues);
	w.depth = __le16_to_cpu(rec.depth);
	w.export_id = __le16_to_cpu(rec.export_id);
	w.inline_size = __le32_to_cpu(rec.inline_size);
	w.max_io = __le32_to_cpu(rec.max_io);
	w.probe_ms = __le32_to_cpu(rec.probe_ms);
	w.dead_ms = __le32_to_cpu(rec.dead_ms);
	w.area = cw_clamp_area(__le16_to_cpu(rec.area));
	w.messages = __le16_to_cpu(rec.messages);
	w.generation = __le64_to_cpu(rec.generation);
	memcpy(w.receipt, rec.receipt, sizeof(w.receipt));
	memcpy(w.identity, rec.identity, sizeof(w.identity));
	if (!cw_valid_welcome(&w, wish) || !cw_is_zero(rec.reserved, sizeof(rec.reserved)))
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
	rec->number = __cpu_to_le32(welcome->number);
	rec->queues = __cpu_to_le16(welcome->queues);
	rec->depth = __cpu_to_le16(welcome->depth);
	rec->inline_size = __cpu_to_le32(welcome->inline_size);
	rec->max_io = __cpu_to_le32(welcome->max_io);
	rec->probe_ms = __cpu_to_le32(welcome->probe_ms);
	rec->dead_ms = __cpu_to_le32(welcome->dead_ms);
	rec->export_id = __cpu_to_le16(welcome->export_id);
	rec->area = __cpu_to_le16(welcome->area);
	rec->messages = __cpu_to_le16(welcome->messages);
	rec->generation = __cpu_to_le64(welcome->generation);
	memcpy(rec->receipt, welcome->receipt, sizeof(rec->receipt));
	memcpy(rec->identity, welcome->identity, sizeof(rec->identity));
	cw_pack_geometry(&rec->geometry, &welcome->geo);
}

/* Only a REFUSED with STALE and an identity, so after PROOF, has an epoch. */
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
	    (epoch && (reason != CW_REFUSED_STALE || !cw_valid_uuid(rec.identity))))
		return -EPROTO;

	memcpy(out->mac, rec.mac, sizeof(out->mac));
	out->reason = reason;
	out->epoch = epoch;
	memcpy(out->identity, rec.identity, sizeof(out->identity));
	cw_take_text(out->text, rec.text, sizeof(out->text));
	return 0;
}

void cw_pack_refused(struct cw_wire_refused *rec, const struct cw_refused *refused)
{
	memset(rec, 0, sizeof(*rec));
	memcpy(rec->mac, refused->mac, sizeof(rec->mac));
	rec->reason = __cpu_to_le16(refused->reason);
	memcpy(rec->identity, refused->identity, sizeof(rec->identity));
	if (refused->reason == CW_REFUSED_STALE && cw_valid_uuid(refused->identity))
		rec->epoch = __cpu_to_le64(refused->epoch);
	cw_put_text(rec->text, refused->text, sizeof(rec->text));
}

int cw_parse_waiting(const void *data, size_t len, bool of_fence, struct cw_waiting *out)
{
	struct cw_wire_waiting rec;
	u32 commands;
	u16 reason;

	if (len != sizeof(rec))
		return -EPROTO;
	memcpy(&rec, data, sizeof(rec));

	reason = __le16_to_cpu(rec.reason);
	commands = __le32_to_cpu(rec.commands);
	if (reason < CW_WAITING_COMMANDS || reason > CW_WAITING_FENCE ||
	    ((commands || of_fence) && reason != CW_WAITING_COMMANDS) ||
	    (rec.path && !of_fence) || rec.path >= CW_WIRE_PATHS || rec.reserved0 ||
	    !cw_is_zero(rec.reserved1, sizeof(rec.reserved1)))
		return -EPROTO;

	out->reason = reason;
	out->path = rec.path;
	out->commands = commands;
	return 0;
}

void cw_pack_waiting(struct cw_wire_waiting *rec, const struct cw_waiting *waiting)
{
	memset(rec, 0, sizeof(*rec));
	rec->reason = __cpu_to_le16(waiting->reason);
	if (waiting->reason == CW_WAITING_COMMANDS) {
		rec->path = waiting->path;
		rec->commands = __cpu_to_le32(waiting->commands);
	}
}

int cw_parse_probe(const void *data, size_t len, u64 *cookie)
{
	struct cw_wire_probe rec;

	if (len != sizeof(rec))
		return -EPROTO;
	memcpy(&rec, data, sizeof(rec));
	if (!cw_is_zero(rec.reserved, sizeof(rec.reserved)))
		return -EPROTO;

	*cookie = __le64_to_cpu(rec.cookie);
	return 0;
}

void cw_pack_probe(struct cw_wire_probe *rec, u64 cookie)
{
	memset(rec, 0, sizeof(*rec));
	rec->cookie = __cpu_to_le64(cookie);
}

int cw_parse_discover(const void *data, size_t len, struct cw_discover *out)
{
	struct cw_wire_discover rec;
	int err;

	if (len != sizeof(rec))
		return -EPROTO;
	memcpy(&rec, data, sizeof(rec));
	err = cw_check_version(rec.magic, rec.version);
	if (err)
		return err;
	if (!cw_is_zero(rec.reserved, sizeof(rec.reserved)) || rec.reserved1)
		return -EPROTO;

	out->first = __le32_to_cpu(rec.first);
	return 0;
}

/*
 * An empty message means that the server has no exports. All records have the same value of more.
 */
int cw_parse_export(const void *data, size_t len, size_t i, struct cw_export_info *out)
{
	const u8 *p = data;
	struct cw_wire_export rec, first;
	struct cw_address addresses[CW_WIRE_ADDRESSES];
	char name[CW_WIRE_NAME];
	u32 logical_block;
	int nr_addresses;
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
	    !cw_valid_uuid(rec.identity) || !cw_take_name(name, rec.name))
		return -EPROTO;
	nr_addresses = cw_parse_addresses(rec.addresses, addresses);
	if (nr_addresses < 0)
		return nr_addresses;

	memcpy(out->name, name, sizeof(out->name));
	memcpy(out->identity, rec.identity, sizeof(out->identity));
	out->size = size;
	out->logical_block = logical_block;
	out->flags = flags;
	out->more = __le16_to_cpu(rec.more);
	out->nr_addresses = nr_addresses;
	memcpy(out->addresses, addresses, sizeof(out->addresses));
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
	cw_pack_addresses(rec->addresses, info->addresses, info->nr_addresses);
}

/*
 * Every kind of notice has the geometry, so that the loss of an earlier notice with its link does
 * no harm.
 */
int cw_parse_notice(const void *data, size_t len, struct cw_notice *out)
{
	struct cw_wire_notice rec;
	struct cw_geometry geo;
	u16 kind, flags;
	u32 sequence;
	int err;

	if (len != sizeof(rec))
		return -EPROTO;
	memcpy(&rec, data, sizeof(rec));

	kind = __le16_to_cpu(rec.kind);
	flags = __le16_to_cpu(rec.flags);
	sequence = __le32_to_cpu(rec.sequence);
	if (kind < CW_NOTICE_GEOMETRY || kind > CW_NOTICE_STOPPING ||
	    flags & ~CW_NOTICE_FLUSHED || !sequence)
		return -EPROTO;
	err = cw_parse_geometry(&rec.geometry, &geo);
	if (err)
		return err;

	out->kind = kind;
	out->flags = flags;
	out->sequence = sequence;
	out->geo = geo;
	return 0;
}

void cw_pack_notice(struct cw_wire_notice *rec, const struct cw_notice *notice)
{
	memset(rec, 0, sizeof(*rec));
	rec->kind = __cpu_to_le16(notice->kind);
	rec->flags = __cpu_to_le16(notice->flags);
	rec->sequence = __cpu_to_le32(notice->sequence);
	cw_pack_geometry(&rec->geometry, &notice->geo);
}
