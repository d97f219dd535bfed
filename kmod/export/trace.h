/* SPDX-License-Identifier: GPL-2.0-only */
/* Tracepoints for the stages of each command in the target. */
#undef TRACE_SYSTEM
#define TRACE_SYSTEM causeway_target

#if !defined(CWT_TRACE_H) || defined(TRACE_HEADER_MULTI_READ)
#define CWT_TRACE_H

#include <linux/tracepoint.h>

#include "export.h"

#ifndef CWT_TRACE_NAMES
#define CWT_TRACE_NAMES
#define cwt_op_name(op)					\
	__print_symbolic(op,				\
			 { CW_OP_READ, "read" },	\
			 { CW_OP_WRITE, "write" },	\
			 { CW_OP_FLUSH, "flush" },	\
			 { CW_OP_DISCARD, "discard" },	\
			 { CW_OP_WRITE_ZEROES, "zeroes" })
#endif

DECLARE_EVENT_CLASS(cwt_command,
	TP_PROTO(const struct cwt_command *c),
	TP_ARGS(c),
	TP_STRUCT__entry(
		__string(export, c->tl->export->name)
		__field(u64, offset)
		__field(u32, len)
		__field(u16, slot)
		__field(u16, link)
		__field(u8, op)
		__field(u8, flags)
		__field(u8, stage)
		__field(u8, status)
	),
	TP_fast_assign(
		__assign_str(export);
		__entry->offset = c->cmd.offset;
		__entry->len = c->cmd.len;
		__entry->slot = c->cmd.slot;
		__entry->link = c->tl->link->index;
		__entry->op = c->cmd.op;
		__entry->flags = c->cmd.flags;
		__entry->stage = c->stage;
		__entry->status = c->status;
	),
	TP_printk("%s link %u slot %u %s offset %llu len %u flags %#x stage %u status %u",
		  __get_str(export), __entry->link, __entry->slot, cwt_op_name(__entry->op),
		  __entry->offset, __entry->len, __entry->flags, __entry->stage,
		  __entry->status)
);

#define CWT_COMMAND_EVENT(name)				\
	DEFINE_EVENT(cwt_command, name,			\
		TP_PROTO(const struct cwt_command *c),	\
		TP_ARGS(c))

CWT_COMMAND_EVENT(cwt_command_received);
CWT_COMMAND_EVENT(cwt_command_parked);
CWT_COMMAND_EVENT(cwt_command_submitted);
CWT_COMMAND_EVENT(cwt_command_done);
CWT_COMMAND_EVENT(cwt_command_dropped);

#endif

#undef TRACE_INCLUDE_PATH
#define TRACE_INCLUDE_PATH .
#undef TRACE_INCLUDE_FILE
#define TRACE_INCLUDE_FILE trace
#include <trace/define_trace.h>
