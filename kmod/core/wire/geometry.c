// SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause)
/*
 * The properties of a disk, and the commands that it accepts (PROTOCOL, sections 8 and 11).
 *
 * A geometry comes from the server and goes into the client's block layer, so it must be one that a
 * disk can have. A command that does not fit the geometry gets an error status and does not end the
 * link, because the size may have changed since the command was sent.
 */
#include "bytes.h"

#define PHYSICAL_BLOCK_MAX 0x100000

/* CW_EXPORT_KEY occurs in discovery only. */
#define GEOMETRY_FLAGS (CW_EXPORT_FLAGS & ~CW_EXPORT_KEY)

/* A number of bytes that is a multiple of @block, or 0. */
static bool cw_geometry_whole_blocks(u32 bytes, u32 block)
{
	return !(bytes & (block - 1));
}

static bool cw_geometry_valid_blocks(const struct cw_geometry *geo)
{
	return cw_valid_block(geo->logical_block) && cw_is_power_of_2(geo->physical_block) &&
	       geo->physical_block >= geo->logical_block &&
	       geo->physical_block <= PHYSICAL_BLOCK_MAX &&
	       cw_valid_size(geo->size, geo->logical_block) &&
	       cw_geometry_whole_blocks(geo->io_min, geo->logical_block) &&
	       cw_geometry_whole_blocks(geo->io_opt, geo->logical_block);
}

/* With DISCARD all three limits are set, without it none. */
static bool cw_geometry_valid_discard(const struct cw_geometry *geo)
{
	if (!(geo->flags & CW_EXPORT_DISCARD))
		return !geo->discard_max && !geo->discard_granularity && !geo->discard_ranges;
	return geo->discard_max && geo->discard_granularity && geo->discard_ranges &&
	       cw_geometry_whole_blocks(geo->discard_max, geo->logical_block) &&
	       cw_geometry_whole_blocks(geo->discard_granularity, geo->logical_block);
}

static bool cw_geometry_valid_zeroes(const struct cw_geometry *geo)
{
	if (!(geo->flags & CW_EXPORT_WRITE_ZEROES))
		return !geo->zeroes_max;
	return geo->zeroes_max && cw_geometry_whole_blocks(geo->zeroes_max, geo->logical_block);
}

int cw_parse_geometry(const struct cw_wire_geometry *rec, struct cw_geometry *out)
{
	struct cw_wire_geometry wire;
	struct cw_geometry geo;

	memcpy(&wire, rec, sizeof(wire));
	memset(&geo, 0, sizeof(geo));
	geo.size = __le64_to_cpu(wire.size);
	geo.logical_block = __le32_to_cpu(wire.logical_block);
	geo.physical_block = __le32_to_cpu(wire.physical_block);
	geo.io_min = __le32_to_cpu(wire.io_min);
	geo.io_opt = __le32_to_cpu(wire.io_opt);
	geo.discard_max = __le32_to_cpu(wire.discard_max);
	geo.discard_granularity = __le32_to_cpu(wire.discard_granularity);
	geo.discard_ranges = __le16_to_cpu(wire.discard_ranges);
	geo.flags = __le16_to_cpu(wire.flags);
	geo.zeroes_max = __le32_to_cpu(wire.zeroes_max);
	if (geo.flags & ~GEOMETRY_FLAGS || !cw_geometry_valid_blocks(&geo) ||
	    !cw_geometry_valid_discard(&geo) || !cw_geometry_valid_zeroes(&geo))
		return -EPROTO;

	*out = geo;
	return 0;
}

void cw_pack_geometry(struct cw_wire_geometry *rec, const struct cw_geometry *geo)
{
	memset(rec, 0, sizeof(*rec));
	rec->size = __cpu_to_le64(geo->size);
	rec->logical_block = __cpu_to_le32(geo->logical_block);
	rec->physical_block = __cpu_to_le32(geo->physical_block);
	rec->io_min = __cpu_to_le32(geo->io_min);
	rec->io_opt = __cpu_to_le32(geo->io_opt);
	rec->discard_max = __cpu_to_le32(geo->discard_max);
	rec->discard_granularity = __cpu_to_le32(geo->discard_granularity);
	rec->discard_ranges = __cpu_to_le16(geo->discard_ranges);
	rec->flags = __cpu_to_le16(geo->flags);
	rec->zeroes_max = __cpu_to_le32(geo->zeroes_max);
}

/* The range is on block boundaries and lies within the disk. */
static bool cw_geometry_on_disk(u64 offset, u64 len, const struct cw_geometry *geo)
{
	u64 mask = (u64)geo->logical_block - 1;

	return !((offset | len) & mask) && len <= geo->size && offset <= geo->size - len;
}

int cw_check_cmd(const struct cw_cmd *cmd, const struct cw_geometry *geo)
{
	bool read_only = geo->flags & CW_EXPORT_READ_ONLY;

	switch (cmd->op) {
	case CW_OP_READ:
	case CW_OP_FLUSH:
		break;
	case CW_OP_WRITE:
		if (read_only)
			return -EROFS;
		break;
	case CW_OP_DISCARD:
		if (read_only)
			return -EROFS;
		if (!(geo->flags & CW_EXPORT_DISCARD))
			return -EOPNOTSUPP;
		if (cmd->data_len / sizeof(struct cw_wire_range) > geo->discard_ranges)
			return -ERANGE;
		break;
	case CW_OP_WRITE_ZEROES:
		if (read_only)
			return -EROFS;
		if (!(geo->flags & CW_EXPORT_WRITE_ZEROES))
			return -EOPNOTSUPP;
		if (cmd->len > geo->zeroes_max)
			return -ERANGE;
		break;
	default:
		return -EOPNOTSUPP;
	}
	if (cmd->flags & CW_CMD_FUA && !(geo->flags & CW_EXPORT_FUA))
		return -EOPNOTSUPP;
	/* A flush and a discard have no range here; 0 bytes at offset 0 pass on every disk. */
	return cw_geometry_on_disk(cmd->offset, cmd->len, geo) ? 0 : -ERANGE;
}

int cw_check_range(const struct cw_range *range, const struct cw_geometry *geo)
{
	if (geo->flags & CW_EXPORT_READ_ONLY)
		return -EROFS;
	if (!(geo->flags & CW_EXPORT_DISCARD))
		return -EOPNOTSUPP;
	if (range->len > geo->discard_max || !cw_geometry_on_disk(range->offset, range->len, geo))
		return -ERANGE;
	return 0;
}
