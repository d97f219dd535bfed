// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
/*
 * The bare form: a page of data with 32 bits of immediate data (PROTOCOL, section 8).
 *
 * The 32 bits are turned into the record that the trailer form would have. That record is then
 * checked like any other. The data is not examined.
 */
#include "bytes.h"

static void cw_bare_fill_frame(struct cw_frame *frame, u8 type, u16 record, u32 ordinal, u32 credit)
{
	*frame = (struct cw_frame) {
		.type = type,
		.bare = true,
		.count = 1,
		.record = record,
		.data_len = CW_WIRE_PAGE,
		.ordinal = ordinal,
		.credit = credit,
	};
}

int cw_parse_bare_write(u32 imm, size_t len, u32 ordinal, u32 credited,
			const struct cw_limits *lim, struct cw_frame *frame,
			struct cw_wire_cmd *rec)
{
	struct cw_cmd cmd = {
		.op = CW_OP_WRITE,
		.flags = CW_CMD_INLINE,
		.offset = (u64)imm * CW_WIRE_PAGE,
		.len = CW_WIRE_PAGE,
		.data_len = CW_WIRE_PAGE,
	};

	if (!(lim->features & CW_FEATURE_BARE) || len != CW_WIRE_PAGE)
		return -EPROTO;
	cmd.slot = cw_bare_slot(ordinal, lim->depth);
	cw_pack_cmd(rec, &cmd, lim->export_id);
	cw_bare_fill_frame(frame, CW_MSG_COMMANDS, sizeof(*rec), ordinal, credited + 1);
	return 0;
}

int cw_parse_bare_read(u32 imm, size_t len, u32 ordinal, u32 credited,
		       const struct cw_limits *lim, struct cw_frame *frame,
		       struct cw_wire_done *rec)
{
	struct cw_done done = {
		.slot = (u16)imm,
		.flags = CW_DONE_INLINE,
		.data_len = CW_WIRE_PAGE,
	};

	/* A slot of a bare write is above the depth, and its completion has no data. */
	if (!(lim->features & CW_FEATURE_BARE) || len != CW_WIRE_PAGE || done.slot >= lim->depth)
		return -EPROTO;
	cw_pack_done(rec, &done);
	cw_bare_fill_frame(frame, CW_MSG_COMPLETIONS, sizeof(*rec), ordinal,
			   credited + (u16)((imm >> 16) - credited));
	return 0;
}

bool cw_bare_write(const struct cw_wire_cmd *rec, u32 *imm)
{
	u64 offset = __le64_to_cpu(rec->offset);

	if (rec->op != CW_OP_WRITE || rec->flags != CW_CMD_INLINE || rec->data_off ||
	    __le32_to_cpu(rec->data_len) != CW_WIRE_PAGE ||
	    offset % CW_WIRE_PAGE || offset / CW_WIRE_PAGE > 0xffffffff)
		return false;
	*imm = (u32)(offset / CW_WIRE_PAGE);
	return true;
}

bool cw_bare_read(const struct cw_wire_done *rec, u32 credit, u32 *imm)
{
	if (rec->status != CW_STATUS_OK || rec->flags != CW_DONE_INLINE || rec->data_off ||
	    __le32_to_cpu(rec->data_len) != CW_WIRE_PAGE)
		return false;
	*imm = __le16_to_cpu(rec->slot) | credit << 16;
	return true;
}
