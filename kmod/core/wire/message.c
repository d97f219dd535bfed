// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
/*
 * Messages: the tail, commands, ranges and completions (PROTOCOL, sections 3 and 8).
 *
 * A receiver reads the tail first, which gives the positions of the records and the data. Then each
 * record is checked against the frame of its message and the limits of its link. After that no
 * number in it can point outside of the message. The callers check what depends on more than one
 * record: that the ordinal follows the last one, that a slot is free, and that the completion of a
 * read has the requested length.
 */
#include "bytes.h"

#define TO_SERVER 1
#define TO_CLIENT 2
#define ON_CONTROL 1
#define ON_DATA 2

/*
 * For each type: its sender, its links, and its data. The data of a control message is one struct
 * (@exact) or an array of structs. The exact size takes precedence over the rule that data is a
 * multiple of 16 bytes, because no records follow that could be misaligned.
 */
struct message_type {
	u8 to;
	u8 on;
	bool exact;
	u16 data; /* control: bytes of the struct in the data area; 0: none */
	u16 record; /* bytes of a record behind the data; 0: the type has no records */
};

static const struct message_type message_types[CW_MSG_PATH_BYE + 1] = {
	[CW_MSG_HELLO] = { TO_SERVER, ON_CONTROL, true, sizeof(struct cw_wire_hello), 0 },
	[CW_MSG_CHALLENGE] = { TO_CLIENT, ON_CONTROL, true, sizeof(struct cw_wire_challenge), 0 },
	[CW_MSG_PROOF] = { TO_SERVER, ON_CONTROL, true, sizeof(struct cw_wire_proof), 0 },
	[CW_MSG_WELCOME] = { TO_CLIENT, ON_CONTROL, true, sizeof(struct cw_wire_welcome), 0 },
	[CW_MSG_REFUSED] = { TO_CLIENT, ON_CONTROL, true, sizeof(struct cw_wire_refused), 0 },
	[CW_MSG_DISCOVER] = { TO_SERVER, ON_CONTROL, true, sizeof(struct cw_wire_discover), 0 },
	[CW_MSG_EXPORTS] = { TO_CLIENT, ON_CONTROL, false, sizeof(struct cw_wire_export), 0 },
	/* On a data link these two have no struct. */
	[CW_MSG_PROBE] = { TO_SERVER | TO_CLIENT, ON_CONTROL | ON_DATA, true,
			   sizeof(struct cw_wire_probe), 0 },
	[CW_MSG_ALIVE] = { TO_SERVER | TO_CLIENT, ON_CONTROL | ON_DATA, true,
			   sizeof(struct cw_wire_probe), 0 },
	[CW_MSG_NOTICE] = { TO_CLIENT, ON_CONTROL, true, sizeof(struct cw_wire_notice), 0 },
	[CW_MSG_GOODBYE] = { TO_SERVER, ON_CONTROL, true, 0, 0 },
	[CW_MSG_WAITING] = { TO_CLIENT, ON_CONTROL, true, sizeof(struct cw_wire_waiting), 0 },
	[CW_MSG_FAREWELL] = { TO_CLIENT, ON_CONTROL, true, 0, 0 },
	[CW_MSG_COMMANDS] = { TO_SERVER, ON_DATA, false, 0, sizeof(struct cw_wire_cmd) },
	[CW_MSG_COMPLETIONS] = { TO_CLIENT, ON_DATA, false, 0, sizeof(struct cw_wire_done) },
	[CW_MSG_JOIN] = { TO_SERVER, ON_CONTROL, true, sizeof(struct cw_wire_join), 0 },
	[CW_MSG_JOINED] = { TO_CLIENT, ON_CONTROL, true, sizeof(struct cw_wire_joined), 0 },
	[CW_MSG_FENCE] = { TO_SERVER, ON_CONTROL, true, sizeof(struct cw_wire_incarnation), 0 },
	[CW_MSG_FENCED] = { TO_CLIENT, ON_CONTROL, true, sizeof(struct cw_wire_incarnation), 0 },
	[CW_MSG_PATH_BYE] = { TO_SERVER, ON_CONTROL, true, sizeof(struct cw_wire_incarnation), 0 },
};

/* NULL: this kind of link does not carry the type in this direction. */
static const struct message_type *cw_message_find_type(u8 type, u8 kind, bool to_server)
{
	bool data_link = kind == CW_KIND_DATA;
	const struct message_type *t;

	if (type > CW_MSG_PATH_BYE || (!data_link && kind != CW_KIND_CONTROL))
		return NULL;
	t = &message_types[type];
	if (!(t->to & (to_server ? TO_SERVER : TO_CLIENT)) ||
	    !(t->on & (data_link ? ON_DATA : ON_CONTROL)))
		return NULL;
	return t;
}

static bool cw_message_valid_data_len(const struct message_type *t, u8 kind, u32 data_len)
{
	if (t->exact)
		return data_len == (kind == CW_KIND_CONTROL ? t->data : 0);
	if (t->data)
		return data_len % t->data == 0;
	return data_len % 16 == 0;
}

int cw_parse_tail(const struct cw_wire_tail *tail, size_t len, u32 area, u8 kind,
		  bool to_server, struct cw_frame *out)
{
	const struct message_type *t;
	struct cw_wire_tail rec;
	u32 data_len, trailer_len;
	u16 count;

	memcpy(&rec, tail, sizeof(rec));

	t = cw_message_find_type(rec.type, kind, to_server);
	if (!t || rec.flags || (kind == CW_KIND_CONTROL && rec.credit))
		return -EPROTO;

	count = __le16_to_cpu(rec.count);
	if (t->record ? !count || count > CW_WIRE_RECORDS : count)
		return -EPROTO;

	/* A control link has one page of data, whatever the session has. */
	if (kind == CW_KIND_CONTROL && area > CW_WIRE_PAGE)
		area = CW_WIRE_PAGE;
	data_len = __le32_to_cpu(rec.data_len);
	if (data_len > area || !cw_message_valid_data_len(t, kind, data_len))
		return -EPROTO;

	trailer_len = (u32)count * t->record + (u32)sizeof(rec);
	if (len != (u64)data_len + trailer_len || len > (u64)area + CW_WIRE_TRAILER)
		return -EPROTO;

	out->type = rec.type;
	out->bare = false;
	out->count = count;
	out->record = t->record;
	out->data_len = data_len;
	out->ordinal = __le32_to_cpu(rec.ordinal);
	out->credit = __le32_to_cpu(rec.credit);
	out->trailer_len = trailer_len;
	return 0;
}

/* Inline data lies within the data of its message, and begins at a multiple of 16 bytes. */
static bool cw_message_valid_data(u32 off, u32 len, const struct cw_frame *frame)
{
	return len && off % 16 == 0 && (u64)off + len <= frame->data_len;
}

static bool cw_message_no_data(const struct cw_cmd *cmd)
{
	return !cmd->data_off && !cmd->data_len;
}

static bool cw_message_no_memory(const struct cw_cmd *cmd)
{
	return !cmd->rkey && !cmd->addr;
}

/* A range that is possible on some disk: not empty, and without wrap. */
static bool cw_message_valid_extent(const struct cw_cmd *cmd)
{
	return cmd->len && cmd->offset + cmd->len > cmd->offset;
}

/*
 * Read and write: exactly one of inline and transfer. The memory of a transfer may have any address
 * (a registration may start at 0), but must not wrap. Over RDMA it may have any rkey.
 */
static bool cw_message_valid_transfer(const struct cw_cmd *cmd, const struct cw_frame *frame,
				      const struct cw_limits *lim)
{
	if (!cw_message_valid_extent(cmd) || cmd->len > lim->max_io)
		return false;

	switch (cmd->flags & (CW_CMD_INLINE | CW_CMD_BULK)) {
	case CW_CMD_INLINE:
		if (!cw_message_no_memory(cmd) || cmd->len > lim->inline_size)
			return false;
		if (cmd->op == CW_OP_READ)
			return cw_message_no_data(cmd);
		return cmd->data_len == cmd->len &&
		       cw_message_valid_data(cmd->data_off, cmd->data_len, frame);
	case CW_CMD_BULK:
		return cw_message_no_data(cmd) && cmd->addr + cmd->len > cmd->addr &&
		       (cmd->rkey || !lim->needs_rkey);
	default:
		return false;
	}
}

/*
 * The number of ranges is compared with the disk's limit only if the caller gives the limit,
 * because it changes with the geometry.
 */
static bool cw_message_valid_discard(const struct cw_cmd *cmd, const struct cw_frame *frame,
				     const struct cw_limits *lim)
{
	u32 ranges = cmd->data_len / (u32)sizeof(struct cw_wire_range);

	if (!(cmd->flags & CW_CMD_INLINE) || cmd->offset || cmd->len || !cw_message_no_memory(cmd))
		return false;
	if (cmd->data_len % sizeof(struct cw_wire_range) || cmd->data_len > lim->inline_size)
		return false;
	if (lim->discard_ranges && ranges > lim->discard_ranges)
		return false;
	return cw_message_valid_data(cmd->data_off, cmd->data_len, frame);
}

static bool cw_message_valid_cmd(const struct cw_cmd *cmd, const struct cw_frame *frame,
				 const struct cw_limits *lim)
{
	u8 flags; /* that the operation allows */

	/* Only data that is in the message or fetched for the command has a checksum. */
	switch (cmd->op) {
	case CW_OP_READ:
		flags = CW_CMD_INLINE | CW_CMD_BULK;
		break;
	case CW_OP_WRITE:
		flags = CW_CMD_INLINE | CW_CMD_BULK | CW_CMD_FUA | CW_CMD_CRC;
		break;
	case CW_OP_FLUSH:
		flags = 0;
		break;
	case CW_OP_DISCARD:
		flags = CW_CMD_INLINE | CW_CMD_CRC;
		break;
	case CW_OP_WRITE_ZEROES:
		flags = CW_CMD_FUA | CW_CMD_NOUNMAP;
		break;
	default:
		return false;
	}
	if (!(lim->features & CW_FEATURE_CRC))
		flags &= (u8)~CW_CMD_CRC;
	if (cmd->flags & ~flags || (cmd->crc && !(cmd->flags & CW_CMD_CRC)))
		return false;

	switch (cmd->op) {
	case CW_OP_READ:
	case CW_OP_WRITE:
		return cw_message_valid_transfer(cmd, frame, lim);
	case CW_OP_DISCARD:
		return cw_message_valid_discard(cmd, frame, lim);
	case CW_OP_WRITE_ZEROES:
		return cw_message_valid_extent(cmd) && cw_message_no_data(cmd) &&
		       cw_message_no_memory(cmd);
	default: /* flush */
		return !cmd->offset && !cmd->len && cw_message_no_data(cmd) &&
		       cw_message_no_memory(cmd);
	}
}

/* Bare writes have slots of their own. */
static bool cw_message_valid_slot(u16 slot, const struct cw_frame *frame,
				  const struct cw_limits *lim)
{
	return frame->bare ? slot >= lim->depth && slot < cw_slots(lim) : slot < lim->depth;
}

int cw_parse_cmd(const struct cw_wire_cmd *rec, const struct cw_frame *frame,
		 const struct cw_limits *lim, struct cw_cmd *out)
{
	struct cw_wire_cmd wire;
	struct cw_cmd cmd;

	memcpy(&wire, rec, sizeof(wire));
	if (!cw_is_zero(wire.reserved, sizeof(wire.reserved)) ||
	    __le16_to_cpu(wire.export_id) != lim->export_id)
		return -EPROTO;

	cmd.op = wire.op;
	cmd.flags = wire.flags;
	cmd.slot = __le16_to_cpu(wire.slot);
	cmd.len = __le32_to_cpu(wire.len);
	cmd.offset = __le64_to_cpu(wire.offset);
	cmd.data_off = __le32_to_cpu(wire.data_off);
	cmd.data_len = __le32_to_cpu(wire.data_len);
	cmd.rkey = __le32_to_cpu(wire.rkey);
	cmd.crc = __le32_to_cpu(wire.crc);
	cmd.addr = __le64_to_cpu(wire.addr);
	if (!cw_message_valid_slot(cmd.slot, frame, lim) || !cw_message_valid_cmd(&cmd, frame, lim))
		return -EPROTO;

	*out = cmd;
	return 0;
}

int cw_parse_range(const struct cw_wire_range *rec, struct cw_range *out)
{
	struct cw_wire_range wire;
	u64 offset, len;

	memcpy(&wire, rec, sizeof(wire));
	offset = __le64_to_cpu(wire.offset);
	len = __le64_to_cpu(wire.len);
	if (!len || offset + len <= offset)
		return -EPROTO;

	out->offset = offset;
	out->len = len;
	return 0;
}

/*
 * A completion with an error has neither data nor checksum. A successful one may have a checksum
 * without data: that of a read with a transfer.
 */
static bool cw_message_valid_done(const struct cw_done *done, const struct cw_frame *frame,
				  const struct cw_limits *lim)
{
	u8 flags = 0;

	if (done->status > CW_STATUS_GONE)
		return false;
	if (done->status == CW_STATUS_OK)
		flags = lim->features & CW_FEATURE_CRC ? CW_DONE_INLINE | CW_DONE_CRC :
							 CW_DONE_INLINE;
	if (done->flags & ~flags || (done->crc && !(done->flags & CW_DONE_CRC)))
		return false;
	if (done->flags & CW_DONE_INLINE)
		return done->data_len <= lim->inline_size &&
		       cw_message_valid_data(done->data_off, done->data_len, frame);
	return !done->data_off && !done->data_len;
}

int cw_parse_done(const struct cw_wire_done *rec, const struct cw_frame *frame,
		  const struct cw_limits *lim, struct cw_done *out)
{
	struct cw_wire_done wire;
	struct cw_done done;

	memcpy(&wire, rec, sizeof(wire));
	done.slot = __le16_to_cpu(wire.slot);
	done.status = wire.status;
	done.flags = wire.flags;
	done.data_off = __le32_to_cpu(wire.data_off);
	done.data_len = __le32_to_cpu(wire.data_len);
	done.crc = __le32_to_cpu(wire.crc);
	if (done.slot >= cw_slots(lim) || !cw_message_valid_done(&done, frame, lim))
		return -EPROTO;

	*out = done;
	return 0;
}

void cw_pack_tail(struct cw_wire_tail *tail, u8 type, u16 count, u32 data_len, u32 ordinal,
		  u32 credit)
{
	memset(tail, 0, sizeof(*tail));
	tail->type = type;
	tail->count = __cpu_to_le16(count);
	tail->data_len = __cpu_to_le32(data_len);
	tail->ordinal = __cpu_to_le32(ordinal);
	tail->credit = __cpu_to_le32(credit);
}

void cw_pack_cmd(struct cw_wire_cmd *rec, const struct cw_cmd *cmd, u16 export_id)
{
	memset(rec, 0, sizeof(*rec));
	rec->op = cmd->op;
	rec->flags = cmd->flags;
	rec->slot = __cpu_to_le16(cmd->slot);
	rec->len = __cpu_to_le32(cmd->len);
	rec->offset = __cpu_to_le64(cmd->offset);
	rec->data_off = __cpu_to_le32(cmd->data_off);
	rec->data_len = __cpu_to_le32(cmd->data_len);
	rec->rkey = __cpu_to_le32(cmd->rkey);
	rec->crc = __cpu_to_le32(cmd->crc);
	rec->addr = __cpu_to_le64(cmd->addr);
	rec->export_id = __cpu_to_le16(export_id);
}

void cw_pack_done(struct cw_wire_done *rec, const struct cw_done *done)
{
	memset(rec, 0, sizeof(*rec));
	rec->slot = __cpu_to_le16(done->slot);
	rec->status = done->status;
	rec->flags = done->flags;
	rec->data_off = __cpu_to_le32(done->data_off);
	rec->data_len = __cpu_to_le32(done->data_len);
	rec->crc = __cpu_to_le32(done->crc);
}
