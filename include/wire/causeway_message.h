/* SPDX-License-Identifier: (GPL-2.0-only OR BSD-3-Clause) */
/*
 * Parsers of the tail of all messages, and of commands, ranges, completions and geometries
 * (docs/PROTOCOL.md, sections 3, 8 and 11).
 *
 * The rules of causeway_parse.h hold for all of these functions.
 */
#ifndef CAUSEWAY_MESSAGE_H
#define CAUSEWAY_MESSAGE_H

#include "causeway_control.h"
#include "causeway_types.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cw_frame {
	u8 type;
	bool bare; /* only data, without records and tail */
	u16 count; /* number of records */
	u16 record; /* bytes of one record; 0: the type has none */
	u32 data_len; /* bytes of data at the start of the message */
	u32 ordinal;
	u32 credit; /* data links: credited messages whose receive is posted again */
	u32 trailer_len; /* bytes behind the data: records and tail */
};

/**
 * cw_parse_tail() - parses the tail of a message
 * @tail: the last bytes of the message
 * @len: bytes of the message
 * @area: bytes of the data area of its receive
 * @kind: enum cw_wire_kind of the link
 * @to_server: true if the client sent the message
 * @out: set on success
 *
 * Accepts the types that this kind of link carries in this direction.
 * Context: Any context.
 * Return: 0 or -EPROTO.
 */
int cw_parse_tail(const struct cw_wire_tail *tail, size_t len, u32 area, u8 kind,
		  bool to_server, struct cw_frame *out);

struct cw_limits {
	u16 depth;
	u32 inline_size;
	u32 max_io;
	u16 export_id;
	u64 features;
	u16 discard_ranges; /* 0: cw_parse_cmd() does not compare, cw_check_cmd() does */
	bool needs_rkey; /* TCP: no rkey is zero */
};

/**
 * cw_slots() - returns the number of slots of a link
 * @lim: limits of the link
 *
 * The slots that the client chooses come first, then those of bare writes.
 * Context: Any context.
 * Return: the number of slots that the client chooses, plus the number of those of bare writes.
 */
static inline u32 cw_slots(const struct cw_limits *lim)
{
	return lim->features & CW_FEATURE_BARE ? 2 * lim->depth : lim->depth;
}

struct cw_cmd {
	u8 op;
	u8 flags;
	u16 slot;
	u32 len;
	u64 offset;
	u32 data_off;
	u32 data_len;
	u32 rkey;
	u32 crc;
	u64 addr;
};

/**
 * cw_parse_cmd() - parses one record of a COMMANDS message
 * @rec: the record
 * @frame: from cw_parse_tail()
 * @lim: limits of the link
 * @out: set on success
 *
 * Context: Any context.
 * Return: 0 or -EPROTO.
 */
int cw_parse_cmd(const struct cw_wire_cmd *rec, const struct cw_frame *frame,
		 const struct cw_limits *lim, struct cw_cmd *out);

struct cw_range {
	u64 offset;
	u64 len;
};

/**
 * cw_parse_range() - parses one range of a discard: not empty, and without wrap
 * @rec: the record
 * @out: set on success
 *
 * Context: Any context.
 * Return: 0 or -EPROTO.
 */
int cw_parse_range(const struct cw_wire_range *rec, struct cw_range *out);

struct cw_done {
	u16 slot;
	u8 status;
	u8 flags;
	u32 data_off;
	u32 data_len;
	u32 crc;
};

/**
 * cw_parse_done() - parses one record of a COMPLETIONS message
 * @rec: the record
 * @frame: from cw_parse_tail()
 * @lim: limits of the link
 * @out: set on success
 *
 * Context: Any context.
 * Return: 0 or -EPROTO.
 */
int cw_parse_done(const struct cw_wire_done *rec, const struct cw_frame *frame,
		  const struct cw_limits *lim, struct cw_done *out);

/**
 * cw_pack_tail() - packs the tail of a message
 * @tail: set
 * @type: enum cw_wire_type
 * @count: number of records
 * @data_len: bytes of data at the start of the message
 * @ordinal: ordinal of the message
 * @credit: credit to return; 0 on a control link
 *
 * Context: Any context.
 */
void cw_pack_tail(struct cw_wire_tail *tail, u8 type, u16 count, u32 data_len, u32 ordinal,
		  u32 credit);
/**
 * cw_pack_cmd() - packs one record of a COMMANDS message
 * @rec: set
 * @cmd: the command
 * @export_id: from the limits of the link
 *
 * Context: Any context.
 */
void cw_pack_cmd(struct cw_wire_cmd *rec, const struct cw_cmd *cmd, u16 export_id);
/**
 * cw_pack_done() - packs one record of a COMPLETIONS message
 * @rec: set
 * @done: the completion
 *
 * Context: Any context.
 */
void cw_pack_done(struct cw_wire_done *rec, const struct cw_done *done);

/* ---- the bare form: a page of data with 32 bits of immediate data ---- */

/**
 * cw_parse_bare_write() - makes a frame and a record of a bare write
 * @imm: the immediate data, in host order
 * @len: bytes of the message
 * @ordinal: the receiver's count of messages
 * @credited: the newest credit that the receiver got
 * @lim: limits of the link
 * @frame: set on success
 * @rec: set to the record of the trailer form, for cw_parse_cmd()
 *
 * Context: Any context.
 * Return: 0 or -EPROTO.
 */
int cw_parse_bare_write(u32 imm, size_t len, u32 ordinal, u32 credited,
			const struct cw_limits *lim, struct cw_frame *frame,
			struct cw_wire_cmd *rec);
/**
 * cw_parse_bare_read() - makes a frame and a record of the bare completion of a read
 * @imm: the immediate data, in host order
 * @len: bytes of the message
 * @ordinal: the receiver's count of messages
 * @credited: the newest credit that the receiver got
 * @lim: limits of the link
 * @frame: set on success
 * @rec: set to the record of the trailer form, for cw_parse_done()
 *
 * Context: Any context.
 * Return: 0 or -EPROTO.
 */
int cw_parse_bare_read(u32 imm, size_t len, u32 ordinal, u32 credited,
		       const struct cw_limits *lim, struct cw_frame *frame,
		       struct cw_wire_done *rec);

/**
 * cw_bare_write() - checks whether a message of one command can be sent bare
 * @rec: the only record of the message
 * @imm: set to the immediate data, if it can
 *
 * Context: Any context.
 * Return: true if it can.
 */
bool cw_bare_write(const struct cw_wire_cmd *rec, u32 *imm);
/**
 * cw_bare_read() - checks whether a message of one completion can be sent bare
 * @rec: the only record of the message
 * @credit: the credit to return
 * @imm: set to the immediate data, if it can
 *
 * Context: Any context.
 * Return: true if it can.
 */
bool cw_bare_read(const struct cw_wire_done *rec, u32 credit, u32 *imm);
/**
 * cw_bare_slot() - returns the slot of a bare write
 * @ordinal: ordinal of the message
 * @depth: depth of the link
 *
 * Context: Any context.
 * Return: a slot above those that the client chooses.
 */
static inline u16 cw_bare_slot(u32 ordinal, u16 depth)
{
	return depth + ordinal % depth;
}

/* ---- the properties of a disk, and the commands that it accepts ---- */

struct cw_geometry {
	u64 size;
	u32 logical_block, physical_block, io_min, io_opt;
	u32 discard_max, discard_granularity, zeroes_max;
	u16 discard_ranges;
	u16 flags;
};

/**
 * cw_check_cmd() - checks a command against the geometry of the disk
 * @cmd: the parsed command
 * @geo: the geometry
 *
 * The server calls it before it uses a backend.
 * Context: Any context.
 * Return: 0; -ERANGE: outside of the disk, above a limit, or not on block boundaries; -EROFS: the
 * disk is read-only; -EOPNOTSUPP: the disk does not have the operation or FUA.
 */
int cw_check_cmd(const struct cw_cmd *cmd, const struct cw_geometry *geo);
/**
 * cw_check_range() - checks a range of a discard against the geometry of the disk
 * @range: the parsed range
 * @geo: the geometry
 *
 * The server calls it for each range, after cw_check_cmd().
 * Context: Any context.
 * Return: 0; -ERANGE: outside of the disk, above discard_max, or not on block boundaries; -EROFS:
 * the disk is read-only; -EOPNOTSUPP: the disk does not have discards.
 */
int cw_check_range(const struct cw_range *range, const struct cw_geometry *geo);

/**
 * cw_parse_geometry() - parses a geometry alone
 * @rec: the record
 * @out: set on success
 *
 * Context: Any context.
 * Return: 0; -EPROTO: block sizes, size or limits are not possible for a disk.
 */
int cw_parse_geometry(const struct cw_wire_geometry *rec, struct cw_geometry *out);
/**
 * cw_pack_geometry() - packs a geometry
 * @rec: set
 * @geo: the geometry
 *
 * Context: Any context.
 */
void cw_pack_geometry(struct cw_wire_geometry *rec, const struct cw_geometry *geo);

#ifdef __cplusplus
}
#endif

#endif
